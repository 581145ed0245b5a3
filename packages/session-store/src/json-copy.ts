import type { JsonValue } from './message.js';

/** Deeper than any message; a value that contains itself ends here. */
const deepest = 256;

/**
 * A copy that shares nothing with the value and reads it once: members that are undefined are left out, as JSON
 * does. Throws `TypeError` with the place of whatever JSON would lose or change in silence.
 */
export function jsonCopy(value: unknown, place: string, depth = 0): JsonValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${place}: ${value} is no number that JSON has`);
      // JSON has no negative zero.
      return value === 0 ? 0 : value;
    case 'object':
      break;
    default:
      throw new TypeError(`${place}: JSON has no ${typeof value}`);
  }
  if (value === null) return null;
  if (depth === deepest) throw new TypeError(`${place.slice(0, 80)}…: deeper than ${deepest} levels`);
  if (Array.isArray(value)) {
    return Array.from(value, (member, index) => jsonCopy(member, `${place}[${index}]`, depth + 1));
  }
  const kind = Object.prototype.toString.call(value);
  if (kind !== '[object Object]') throw new TypeError(`${place}: JSON has no ${kind.slice(8, -1)}`);
  return objectCopy(value, place, depth);
}

function objectCopy(value: object, place: string, depth: number): JsonValue {
  const copy: { [name: string]: JsonValue } = {};
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const copied = jsonCopy(member, `${place}.${name}`, depth + 1);
    // Assigned, this name would set the prototype and be lost.
    if (name === '__proto__') {
      Object.defineProperty(copy, name, {
        value: copied,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    } else copy[name] = copied;
  }
  return copy;
}

/** True where both are the same JSON, whatever the order of members; undefined members count as absent. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    return (
      Array.isArray(left) &&
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((member, index) => isSameJson(member, right[index]))
    );
  }
  const [mine, others] = [membersOf(left), membersOf(right)];
  if (mine.length !== others.length) return false;
  const other = new Map(others);
  return mine.every(([name, member]) => other.has(name) && isSameJson(member, other.get(name)));
}

function membersOf(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}
