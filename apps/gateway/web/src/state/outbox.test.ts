import { expect, test } from 'vitest';
import { createOutbox, type Outgoing } from './outbox.js';

function memoryStorage(): Pick<Storage, 'getItem' | 'setItem'> {
  const kept = new Map<string, string>();
  return { getItem: (name) => kept.get(name) ?? null, setItem: (name, text) => void kept.set(name, text) };
}

const outgoing: Outgoing = {
  id: 'o1',
  target: 'k',
  text: 'hello',
  createdAt: '2026-01-01T00:00:00.000Z',
  state: 'sending',
};

test('unconfirmed messages survive a reload, each once', () => {
  const storage = memoryStorage();
  const outbox = createOutbox(storage);
  outbox.put(outgoing);
  outbox.put({ ...outgoing, state: 'failed', error: 'No answer.' });
  outbox.put({ ...outgoing, id: 'o2' });
  expect(createOutbox(storage).cell.get()).toEqual([
    { ...outgoing, state: 'failed', error: 'No answer.' },
    { ...outgoing, id: 'o2' },
  ]);
  outbox.remove('o1');
  expect(createOutbox(storage).cell.get()).toEqual([{ ...outgoing, id: 'o2' }]);
});

test('a storage that holds something else is an empty outbox', () => {
  const storage = memoryStorage();
  storage.setItem('holdfast.outbox', '{not json');
  expect(createOutbox(storage).cell.get()).toEqual([]);
});
