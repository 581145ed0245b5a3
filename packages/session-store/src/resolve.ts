import { isMainAlias, mainSessionKey, normaliseText } from '@x/session-scope';
import { isLive, type StoreCore } from './store-core.js';

/**
 * Where a name leads: a main alias to the main session, else a key to itself, else an alias to its owner, else a
 * key in other case to itself. A constant number of look-ups.
 */
export async function resolveName(core: StoreCore, candidate: string): Promise<string | undefined> {
  const { driver } = core;
  const live = async (key: string | undefined) =>
    key !== undefined && isLive(await core.guarded('resolve', key, () => driver.load(key))) ? key : undefined;
  const folded = normaliseText(candidate);
  const home = isMainAlias(folded) ? await live(mainSessionKey(folded.split(':')[1] ?? '')) : undefined;
  return (
    home ??
    (await live(candidate)) ??
    (await live(await core.guarded('resolve', candidate, () => driver.owner(folded)))) ??
    (folded === candidate || folded === '' ? undefined : await live(folded))
  );
}
