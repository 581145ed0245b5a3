import { foldCase, normaliseText, trimSpace } from './folding.js';
import type { SessionScope } from './session-scope.js';

const LONE_SURROGATE = /\p{Surrogate}/u;
const NEEDS_ESCAPE = /[|]|\p{Surrogate}/u;
const ESCAPED = /[%|]|\p{Surrogate}/gu;

/**
 * A scope as one line: `v=1|agent=…|channel=…|account=…|chat=…`. Different scopes give different lines.
 * `v=1e`: some value would read as another field, so all of them are escaped; `v=1c`: ids kept their case.
 */
export function scopeSignature(scope: SessionScope): string {
  const isCaseSensitive = scope.caseSensitive === true;
  const channel = normaliseText(scope.channel);
  const fields = scope.dimensions.map((dimension) => {
    const value = trimSpace(ownValue(scope.values, dimension));
    return { dimension: normaliseText(dimension), value: isCaseSensitive ? value : foldCase(value) };
  });
  const escapes = [channel, ...fields.map((field) => field.value)].some((text) => NEEDS_ESCAPE.test(text));
  const write = escapes ? escapeText : (text: string) => text;
  return [
    `v=1${isCaseSensitive ? 'c' : ''}${escapes ? 'e' : ''}`,
    `agent=${normaliseText(scope.agentId)}`,
    `channel=${write(channel)}`,
    `account=${normaliseText(scope.account)}`,
    ...fields.map((field) => `${field.dimension}=${write(field.value)}`),
  ].join('|');
}

function ownValue(values: Readonly<Record<string, string>>, dimension: string): string {
  return Object.hasOwn(values, dimension) ? (values[dimension] ?? '') : '';
}

/** Half a surrogate pair has no UTF-8 form: unescaped, every one of them would be hashed as U+FFFD. */
function escapeText(text: string): string {
  return text.replace(ESCAPED, (character) => {
    if (character === '%') return '%25';
    if (character === '|') return '%7C';
    return `%u${character.charCodeAt(0).toString(16)}`;
  });
}

/** Whether every store can hold the text as it is. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}
