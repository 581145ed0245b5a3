import fc from 'fast-check';
import { expect, it } from 'vitest';
import { InvalidMessage } from './errors.js';
import { takeMessages } from './message-intake.js';

const most = 2000;

function taken(message: unknown): unknown {
  try {
    return takeMessages('k', [message as never], most)[0];
  } catch (error) {
    return error instanceof Error ? error.constructor.name : error;
  }
}

const words = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'user', 'tool', 'x'.repeat(400)));
const message = fc.record(
  {
    id: fc.oneof(words, fc.constant('x'.repeat(1025)), fc.constant(undefined)),
    role: fc.oneof(fc.constantFrom('system', 'user', 'assistant', 'tool'), words),
    content: fc.oneof(words, fc.constant(undefined), fc.constant(null)),
  },
  { requiredKeys: [] },
);

it('a message of words is taken as the schema takes it, and one that the schema refuses is refused', () => {
  fc.assert(
    fc.property(message, (given) => {
      // A field more makes it a message that is not words alone.
      const other = taken({ ...given, other: true });
      if (typeof other === 'string') expect(taken(given)).toBe(other);
      else expect({ ...Object(taken(given)), other: true }).toEqual(other);
    }),
  );
});

it('takes a copy, and reads no more of it than its own members', () => {
  const given = { id: 'a', role: 'user', content: 'said' };
  const copy = taken(given);
  given.content = 'changed';
  expect(copy).toEqual({ id: 'a', role: 'user', content: 'said' });
  expect(taken(Object.create({ role: 'user', content: 'inherited' }))).toBe(InvalidMessage.name);
  expect(taken(Object.assign(new Date(0), { role: 'user', content: 'a date' }))).toBe(InvalidMessage.name);
});
