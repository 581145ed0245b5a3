import { type AliasIndex, byPrecedence, createAliasIndex } from './alias-index.js';
import type { Finding } from './finding.js';
import type { FolderIndex } from './folder-index.js';
import type { SessionTable } from './session-table.js';

/** Whom each alias leads to, by the index and what has changed since; undefined where one is in dispute. */
export function aliasesByIndex(entries: SessionTable, { heads }: FolderIndex): AliasIndex | undefined {
  const aliases = createAliasIndex();
  // Nothing is in dispute where an index was written.
  for (const [row, names] of heads.aliases.entries()) {
    const key = heads.keys[row] ?? '';
    if (names === 0 || entries.rowOf(key) === undefined) continue;
    for (const alias of names) aliases.claim(alias, key);
  }
  const changed = [...entries.used()];
  for (const { meta } of changed) for (const alias of meta.aliases) aliases.claim(alias, meta.key);
  return changed.length > 0 && [...aliases.conflicts()].length > 0 ? undefined : aliases;
}

/** Whom each alias leads to, where all metadata was read. `refused`: listed by a session although it is another's. */
export function aliasesByFiles(
  entries: SessionTable,
  refused: ReadonlyMap<string, readonly string[]>,
  directory: string,
  report: (finding: Finding) => void,
): AliasIndex {
  const aliases = createAliasIndex();
  const metas = [...entries.used()].map(({ meta }) => meta).sort(byPrecedence);
  for (const meta of metas) {
    const others = refused.get(meta.key) ?? [];
    for (const alias of meta.aliases) if (!others.includes(alias)) aliases.claim(alias, meta.key);
  }
  for (const [alias, keys] of aliases.conflicts()) {
    report({
      code: 'alias-conflict',
      path: directory,
      ...(keys[0] === undefined ? {} : { key: keys[0] }),
      message: `The alias "${alias}" is listed by ${keys.length} sessions: it leads to "${keys[0]}", which was created first.`,
    });
  }
  // Who was refused an alias waits for it behind all others.
  for (const [key, names] of refused) for (const alias of names) aliases.claim(alias, key);
  return aliases;
}
