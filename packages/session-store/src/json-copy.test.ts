import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameJson, jsonCopy } from './json-copy.js';

/** Names such as `__proto__` included. */
const json = fc.jsonValue({ noUnicodeString: false });

describe('a copy as JSON', () => {
  it('is what JSON makes of the value, and shares nothing with it', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value);
        const copy = jsonCopy(value, 'it');
        expect(JSON.stringify(copy)).toBe(text);
        if (typeof value !== 'object' || value === null) return;
        expect(copy).not.toBe(value);
      }),
    );
  });

  it('keeps a member called __proto__ as a member', () => {
    const copy = jsonCopy(JSON.parse('{"__proto__":{"admin":true},"plain":1}'), 'it');
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"admin":true},"plain":1}');
    expect((copy as { admin?: unknown }).admin).toBeUndefined();
  });

  it('leaves undefined members out and reads a getter once', () => {
    let reads = 0;
    const copy = jsonCopy(
      {
        absent: undefined,
        get present() {
          reads += 1;
          return reads;
        },
      },
      'it',
    );
    expect([copy, reads]).toEqual([{ present: 1 }, 1]);
  });

  const circle: { itself?: unknown } = {};
  circle.itself = circle;
  it.each([
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a big integer', 1n],
    ['a function', () => 1],
    ['a symbol', Symbol('it')],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['bytes', new Uint8Array(2)],
    ['what contains itself', circle],
    ['a hole', [undefined]],
  ])('refuses %s with its place', (_name, value) => {
    expect(() => jsonCopy({ outer: [value] }, 'it')).toThrow(/^it\.outer\[0\]/);
  });
});

describe('the same JSON', () => {
  it('is what has the same members in any order', () => {
    expect(isSameJson({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1, e: undefined })).toBe(true);
    expect(isSameJson({ a: 1 }, { a: 1, b: 1 })).toBe(false);
    expect(isSameJson({ a: undefined, b: 1 }, { a: 1, b: undefined })).toBe(false);
    expect(isSameJson([1, 2], [2, 1])).toBe(false);
    expect(isSameJson([], {})).toBe(false);
    expect(isSameJson(JSON.parse('{"__proto__":1}'), {})).toBe(false);
  });

  it('agrees with the text of two copies', () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        expect(isSameJson(one, jsonCopy(one, 'it'))).toBe(true);
        const texts = [one, other].map((value) => JSON.stringify(value));
        if (texts[0] === texts[1]) expect(isSameJson(one, other)).toBe(true);
      }),
    );
  });
});
