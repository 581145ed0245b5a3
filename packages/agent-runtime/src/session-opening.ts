import { isMainAlias } from '@x/session-scope';
import type { RefusedAlias, SessionBackend, SessionMeta } from '@x/session-store';
import type { TurnSession } from './turn.js';

/**
 * The session of a turn, created where it is new. History that lies under an older name is moved in before the
 * names are claimed: a claim on a name that is still a session of its own would be refused. The title is given
 * last, so that one which comes with the older history stays.
 */
export async function openSession(
  backend: SessionBackend,
  session: TurnSession,
  title: string | undefined,
): Promise<{ readonly meta: SessionMeta; readonly refused: readonly RefusedAlias[] }> {
  const { sessionKey, scope } = session;
  const isMain = session.mainSessionKey === sessionKey;
  const aliases = (session.sessionAliases ?? []).filter((alias) => isMain || !isMainAlias(alias));
  const { meta } = await backend.ensure(sessionKey, scope === undefined ? {} : { scope });
  if (meta.lastSeq === 0 && aliases.length > 0) await backend.promote(sessionKey, aliases);
  if (aliases.length === 0 && title === undefined) return { meta, refused: [] };
  return backend.ensure(sessionKey, { aliases, ...(title === undefined ? {} : { title }) });
}
