import { isMainAlias, mainSessionKey, normaliseText } from '@x/session-scope';
import type { SessionNames } from './driver.js';
import { isLive, type StoreCore } from './store-core.js';

/*
 * Where a name leads: a main alias to the main session, else a key to itself, else an alias to its owner, else a
 * key in other case to itself. A constant number of look-ups.
 */

export async function resolveName(core: StoreCore, candidate: string): Promise<string | undefined> {
  const { driver } = core;
  const live = async (key: string | undefined) =>
    key !== undefined && isLive(await core.guarded('resolve', key, () => driver.load(key))) ? key : undefined;
  const folded = normaliseText(candidate);
  return (
    (await live(homeOf(folded))) ??
    (await live(candidate)) ??
    (await live(await core.guarded('resolve', candidate, () => driver.owner(folded)))) ??
    (folded === candidate || folded === '' ? undefined : await live(folded))
  );
}

/** The same of names that are in memory. */
export function resolveAtOnce(names: SessionNames, candidate: string): string | undefined {
  const folded = normaliseText(candidate);
  const home = homeOf(folded);
  if (home !== undefined && names.find(home).isLive) return home;
  const asWritten = names.find(candidate);
  if (asWritten.isLive) return candidate;
  const asFolded = folded === candidate ? asWritten : names.find(folded);
  return asFolded.owner ?? (asFolded.isLive && folded !== '' ? folded : undefined);
}

/** The main session that a main alias means. */
function homeOf(name: string): string | undefined {
  return name.endsWith(':main') && isMainAlias(name) ? mainSessionKey(name.split(':')[1] ?? '') : undefined;
}
