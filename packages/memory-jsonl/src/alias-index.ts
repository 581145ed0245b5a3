import { isMainAlias, mainSessionKey } from '@x/session-scope';
import type { SessionMeta } from '@x/session-store';

/**
 * Which session an alias leads to, in one look-up. Several sessions can list one alias on disk, since PicoClaw
 * writes such folders: the session created first has it, of equal ones the smaller key; once that is gone, the
 * next. A main alias leads to the main session only, whoever lists it.
 */
export interface AliasIndex {
  owner(alias: string): string | undefined;
  /** The session has the alias, or waits for it behind those that came before. */
  claim(alias: string, key: string): void;
  /** Frees all aliases that the session has or waits for. */
  free(meta: SessionMeta): void;
  /** Aliases that more than one session lists, with those sessions in order of precedence. */
  conflicts(): Iterable<readonly [alias: string, keys: readonly string[]]>;
}

export function createAliasIndex(): AliasIndex {
  // Nearly all aliases have one session: a list for each would double the memory.
  const sessions = new Map<string, string | readonly string[]>();

  function keysOf(alias: string): readonly string[] {
    const found = sessions.get(alias);
    return found === undefined ? [] : typeof found === 'string' ? [found] : found;
  }
  function set(alias: string, keys: readonly string[]): void {
    const [first] = keys;
    if (first === undefined) sessions.delete(alias);
    else sessions.set(alias, keys.length === 1 ? first : keys);
  }
  function claim(alias: string, key: string): void {
    if (alias === key || (isMainAlias(alias) && !isHome(alias, key))) return;
    if (!sessions.has(alias)) {
      sessions.set(alias, key);
      return;
    }
    const keys = keysOf(alias);
    if (!keys.includes(key)) set(alias, [...keys, key]);
  }

  return {
    owner: (alias) => keysOf(alias)[0],
    claim,
    free(meta) {
      for (const alias of meta.aliases)
        set(
          alias,
          keysOf(alias).filter((key) => key !== meta.key),
        );
    },
    *conflicts() {
      for (const [alias, keys] of sessions) if (typeof keys !== 'string') yield [alias, keys] as const;
    },
  };
}

/** True where the key is the main session that the main alias means. In its plain form it is a key, no alias. */
function isHome(alias: string, key: string): boolean {
  return key === mainSessionKey(alias.split(':')[1] ?? '');
}

/** Who comes first where several list one alias. */
export function byPrecedence(
  left: Pick<SessionMeta, 'key' | 'createdAt'>,
  right: Pick<SessionMeta, 'key' | 'createdAt'>,
): number {
  if (left.createdAt !== right.createdAt) return left.createdAt < right.createdAt ? -1 : 1;
  return left.key < right.key ? -1 : left.key > right.key ? 1 : 0;
}
