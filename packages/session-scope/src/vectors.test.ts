import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { encodeScope, mainAlias, mainSessionKey, parseScope, scopeSignature, sessionKey } from './index.js';

interface Vector {
  readonly scope: unknown;
  readonly signature: string;
  readonly session_key: string;
}

function vectors<T>(name: string): readonly T[] {
  const path = new URL(`../test/vectors/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(path, 'utf8')) as { readonly vectors: readonly T[] }).vectors;
}

const byHand = vectors<Vector>('session-keys-extended');
const routed = vectors<{
  readonly expected: Vector & { readonly agent_id: string; readonly main_key: string };
}>('session-keys').map(({ expected }) => expected);

test.each([...byHand, ...routed])('signs and keys $signature', ({ scope, signature, session_key }) => {
  const parsed = parseScope(scope);
  expect(scopeSignature(parsed)).toBe(signature);
  expect(sessionKey(parsed)).toBe(session_key);
  expect(JSON.stringify(encodeScope(parsed))).toBe(JSON.stringify(scope));
});

test('gives the scopes built by hand a key each', () => {
  expect(new Set(byHand.map(({ scope }) => sessionKey(parseScope(scope)))).size).toBe(byHand.length);
});

test('keys the main session of every agent in the vectors', () => {
  for (const { agent_id, main_key } of routed) {
    expect(mainSessionKey(agent_id)).toBe(main_key);
    expect(mainAlias(agent_id)).toBe(`agent:${agent_id}:main`);
  }
});
