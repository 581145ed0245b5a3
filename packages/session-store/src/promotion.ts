import { isMainAlias, mainSessionKey, normaliseText } from '@x/session-scope';
import type { Promotion, WriteGuard } from './backend.js';
import { afterPromotion, isMainSession } from './session-fold.js';
import type { SessionMeta } from './session-meta.js';
import { isLive, liveOr, type StoreCore } from './store-core.js';

/**
 * Moves the history of the first of `aliases` that is itself a session with content into the session `key`,
 * while that never had a message. The emptied session is gone and its name leads to the new one, so that
 * nothing is promoted twice. PicoClaw's rule, with the main session of every agent kept at home.
 */
export async function promoteAlias(
  core: StoreCore,
  key: string,
  aliases: readonly string[],
  guard: WriteGuard,
): Promise<Promotion | undefined> {
  const { driver } = core;
  const load = (name: string) => core.guarded('promote', key, () => driver.load(name));
  const target = liveOr(await load(key), 'promote', key);
  if (!isStillEmpty(target)) return undefined;
  const agents = aliases.filter(isMainAlias).map(agentOfMain);

  for (const alias of aliases) {
    const candidate = alias === key ? undefined : ((await load(alias)) ?? (await load(normaliseText(alias))));
    if (candidate === undefined || candidate.key === key) continue;
    const source = candidate.key;
    const ownName = normaliseText(source);
    let promotion: Promotion | undefined;
    await core.transact(
      'promote',
      { keys: [key, source], aliases: [ownName, ...candidate.aliases] },
      guard,
      (found) => {
        const into = liveOr(found.sessions.get(key), 'promote', key);
        const from = found.sessions.get(source);
        promotion = undefined;
        if (!isStillEmpty(into) || !mayMove(from, into, agents)) return [];
        const names = [...new Set([ownName, ...from.aliases])];
        const claim = names.filter((name) => {
          const owner = found.owners.get(name);
          // A name that the record lists and nobody owns may be claimed elsewhere at this moment.
          const isIts = owner === source || (owner === undefined && name === ownName);
          return name !== key && !isMainAlias(name) && isIts;
        });
        promotion = { from: source, messages: from.messageCount };
        return [{ key, adopt: source, meta: afterPromotion(into, from, claim, core.now()), claim }];
      },
    );
    if (promotion !== undefined) return promotion;
  }
  return undefined;
}

function isStillEmpty(meta: SessionMeta): boolean {
  return meta.lastSeq === 0 && meta.summary === '';
}

function mayMove(
  from: SessionMeta | undefined,
  into: SessionMeta,
  agents: readonly string[],
): from is SessionMeta {
  if (!isLive(from) || (from.messageCount === 0 && from.summary === '')) return false;
  if (!isMainSession(from, [into.agentId, ...agents])) return true;
  // A main session under its plain name may move to where it belongs, and nowhere else.
  return isMainAlias(from.key) && into.key === mainSessionKey(agentOfMain(from.key));
}

function agentOfMain(alias: string): string {
  return normaliseText(alias).split(':')[1] ?? '';
}
