import type { TurnSession } from '@x/agent-runtime';
import type { SessionAllocation } from '@x/session-scope';
import type { SessionBackend } from '@x/session-store';

/**
 * The allocation of a session in which nothing has been said, with the first name under which another program's
 * session of the same conversation lies here: its history is then moved in. Costs one look for a session that has
 * begun, and claims no name that leads nowhere.
 */
export async function withImportedNames(
  backend: SessionBackend,
  allocation: SessionAllocation,
  names: readonly string[],
): Promise<TurnSession> {
  const meta = await backend.meta(allocation.sessionKey);
  if (meta !== undefined && meta.lastSeq > 0) return allocation;
  for (const name of names) {
    const isKnown = allocation.sessionAliases.includes(name);
    if (!isKnown && (await backend.meta(name)) !== undefined)
      return { ...allocation, sessionAliases: [...allocation.sessionAliases, name] };
  }
  return allocation;
}
