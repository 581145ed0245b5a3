import type { SessionMeta } from '@x/session-store';

/**
 * Which sessions an agent's tools may see from the one it speaks in. `none`: there are no such tools · `own`: that
 * session and those that were begun from it · `agent`: all of the same agent · `all`.
 */
export type SessionReach = 'none' | 'own' | 'agent' | 'all';

export function isInReach(reach: SessionReach, from: SessionMeta, to: SessionMeta): boolean {
  if (reach === 'all') return true;
  if (reach === 'agent') return to.agentId === from.agentId;
  return reach === 'own' && (to.key === from.key || isBegunFrom(from, to));
}

/** A conversation by name that was begun in this chat, or a session that another program notes as spawned by it. */
function isBegunFrom(from: SessionMeta, to: SessionMeta): boolean {
  if (to.attributes.spawnedBy === from.key) return true;
  const { conversation, ...values } = to.scope?.values ?? {};
  if (conversation === undefined || from.scope === undefined || to.agentId !== from.agentId) return false;
  const { channel, account, values: own } = from.scope;
  return (
    to.scope?.channel === channel &&
    to.scope.account === account &&
    Object.keys(own).length === Object.keys(values).length &&
    Object.entries(own).every(([dimension, value]) => values[dimension] === value)
  );
}
