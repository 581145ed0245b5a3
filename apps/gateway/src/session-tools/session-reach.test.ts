import { buildScope } from '@x/session-scope';
import { newMeta } from '@x/session-store';
import { expect, test } from 'vitest';
import { isInReach, type SessionReach } from './session-reach.js';

const at = '2026-01-01T00:00:00.000Z';
function session(key: string, agentId: string, chatId: string, conversation?: string) {
  const context = { channel: 'slack', chatType: 'group', chatId };
  const scope = buildScope(agentId, context, { dimensions: ['chat'], identityLinks: {} });
  if (conversation === undefined) return newMeta(key, { scope }, at);
  const { dimensions, values } = scope;
  const named = { dimensions: [...dimensions, 'conversation'], values: { ...values, conversation } };
  return newMeta(key, { scope: { ...scope, ...named } }, at);
}

const from = session('from', 'main', 'C1');
const spawned = newMeta('spawned', { agentId: 'other', attributes: { spawnedBy: 'from' } }, at);

test.each<[string, ReturnType<typeof session>, readonly SessionReach[]]>([
  ['itself', from, ['own', 'agent', 'all']],
  ['one by name that was begun in this chat', session('trip', 'main', 'C1', 'trip'), ['own', 'agent', 'all']],
  ['one by name that was begun in another chat', session('trip', 'main', 'C2', 'trip'), ['agent', 'all']],
  ['one that it has spawned', spawned, ['own', 'all']],
  ['another of the same agent', session('to', 'main', 'C2'), ['agent', 'all']],
  ['one of another agent', session('to', 'other', 'C1'), ['all']],
  ['one without a scope', newMeta('plain', { agentId: 'other' }, at), ['all']],
])('%s is in reach', (_what, to, reaches) => {
  const all: readonly SessionReach[] = ['none', 'own', 'agent', 'all'];
  expect(all.filter((reach) => isInReach(reach, from, to))).toEqual(reaches);
});
