import { isMainAlias, mainSessionKey, normaliseText } from '@x/session-scope';
import type { Ensured, RefusedAlias, WriteGuard } from './backend.js';
import { Unsupported } from './errors.js';
import { jsonCopy } from './json-copy.js';
import { afterFacts, afterRevival, newMeta } from './session-fold.js';
import { checkText } from './session-key-check.js';
import type { SessionFacts, SessionMeta } from './session-meta.js';
import { isLive, type StoreCore } from './store-core.js';

/** The facts, copied. Throws `Unsupported` where they hold what JSON cannot carry, or what should be text is none. */
export function takeFacts(key: string, facts: SessionFacts): SessionFacts {
  let copy: unknown;
  try {
    copy = jsonCopy(facts, 'facts');
  } catch (cause) {
    const problem = cause instanceof TypeError ? cause.message : 'the facts cannot be read';
    throw new Unsupported(`ensure: session "${key}": ${problem}.`, { key, cause });
  }
  const taken = copy as SessionFacts;
  const { title = '', agentId = '', channel = '', aliases = [] } = taken;
  for (const [name, text] of Object.entries({ title, agentId, channel }))
    checkText('ensure', key, name, text);
  if (!Array.isArray(aliases)) {
    throw new Unsupported(`ensure: session "${key}": aliases: expected an array.`, { key });
  }
  for (const alias of aliases) checkText('ensure', key, 'aliases', alias);
  return taken;
}

/** The aliases of the facts as names are compared: folded, once each, the key itself left out. */
export function foldedAliases(key: string, aliases: readonly string[]): readonly string[] {
  return [...new Set(aliases.map(normaliseText))].filter((alias) => alias !== '' && alias !== key);
}

/**
 * Creates the session or merges what is known of it. Costs no write where nothing is new, which is the case of
 * every message but a session's first.
 */
export async function ensureSession(
  core: StoreCore,
  key: string,
  facts: SessionFacts,
  aliases: readonly string[],
  guard: WriteGuard,
): Promise<Ensured> {
  const before = await core.guarded('ensure', key, () => core.driver.load(key));
  // What the record lists was judged when it was listed.
  const names = isLive(before) ? aliases.filter((alias) => !before.aliases.includes(alias)) : aliases;
  const owners = await Promise.all(
    names.map(
      async (alias) => [alias, await core.guarded('ensure', key, () => ownerOf(core, alias))] as const,
    ),
  );
  const judged = judge(key, names, new Map(owners));
  if (
    isLive(before) &&
    judged.claimable.length === 0 &&
    afterFacts(before, facts, [], core.now()) === before
  ) {
    return { meta: before, created: false, refused: judged.refused };
  }

  let ensured: Ensured | undefined;
  await core.transact('ensure', { keys: [key, ...names], aliases: names }, guard, (found) => {
    const at = core.now();
    const stored = found.sessions.get(key);
    const now = judge(key, names, new Map(names.map((alias) => [alias, holderIn(found, alias)])));
    const start = isLive(stored)
      ? stored
      : stored === undefined
        ? newMeta(key, facts, at)
        : afterRevival(stored, at);
    const meta = afterFacts(start, facts, now.owned, at);
    ensured = { meta, created: !isLive(stored), refused: now.refused };
    return meta === stored && now.claimable.length === 0 ? [] : [{ key, meta, claim: now.claimable }];
  });
  if (ensured === undefined) throw new Error('The driver resolved without calling decide.');
  return ensured;
}

function judge(key: string, aliases: readonly string[], owners: ReadonlyMap<string, string | undefined>) {
  const refused: RefusedAlias[] = [];
  const claimable: string[] = [];
  const owned: string[] = [];
  for (const alias of aliases) {
    const owner = owners.get(alias);
    if (isMainAlias(alias) && key !== mainSessionKey(alias.split(':')[1] ?? '')) {
      refused.push({ alias, owner, reason: 'main' });
    } else if (owner !== undefined && owner !== key) {
      refused.push({ alias, owner, reason: 'taken' });
    } else {
      owned.push(alias);
      if (owner === undefined) claimable.push(alias);
    }
  }
  return { refused, claimable, owned };
}

async function ownerOf(core: StoreCore, alias: string): Promise<string | undefined> {
  const named = await core.driver.load(alias);
  return isLive(named) ? alias : core.driver.owner(alias);
}

function holderIn(
  found: {
    readonly sessions: ReadonlyMap<string, SessionMeta>;
    readonly owners: ReadonlyMap<string, string>;
  },
  alias: string,
): string | undefined {
  return isLive(found.sessions.get(alias)) ? alias : found.owners.get(alias);
}
