import type { JsonValue } from '@x/session-store';
import { excerpt, wellFormed } from './legal-text.js';

type JsonObject = { readonly [name: string]: JsonValue };

/** Providers refuse longer property names; no tool has one. */
const LONGEST_NAME = 256;
const DEEPEST = 64;

/**
 * The arguments of a call as the object that they must be, or undefined where a model wrote something else.
 * Nothing at all counts as no arguments: that is how several providers stream a call without any.
 */
export function parseArguments(text: string): JsonObject | undefined {
  if (text.trim() === '') return {};
  let value: JsonValue;
  try {
    value = JSON.parse(wellFormed(text)) as JsonValue;
  } catch {
    return undefined;
  }
  return isObject(value) && isReasonable(value, 0) ? value : undefined;
}

/** What a later request may carry in place of the arguments: always an object. */
export function legalArguments(text: string): JsonObject {
  return parseArguments(text) ?? { invalid_arguments: excerpt(wellFormed(text), 1000) };
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isReasonable(value: JsonValue, depth: number): boolean {
  if (depth > DEEPEST) return false;
  if (Array.isArray(value)) return value.every((each) => isReasonable(each, depth + 1));
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(
    ([name, each]) => name.length <= LONGEST_NAME && isReasonable(each, depth + 1),
  );
}
