import type { SessionNames } from '@x/session-store';
import type { Database } from 'better-sqlite3';

/** The statements on `session_aliases`. */
export interface AliasTable {
  owner(alias: string): string | undefined;
  claim(alias: string, sessionId: string): void;
}

export function createAliasTable(database: Database): AliasTable {
  const owner = database
    .prepare<[string], string>('SELECT session_id FROM session_aliases WHERE alias = ?')
    .pluck();
  const claim = database.prepare(
    `INSERT INTO session_aliases(alias, session_id) VALUES (?, ?)
     ON CONFLICT(alias) DO UPDATE SET session_id = excluded.session_id`,
  );
  return {
    owner(alias) {
      const id = owner.get(alias);
      return id === undefined ? undefined : id;
    },
    claim: (alias, sessionId) => void claim.run(alias, sessionId),
  };
}

/** Names alone, without the record that they lead to. */
export function createSessionNames(database: Database): SessionNames {
  // One statement: each takes the engine's locks, which cost more than the look-ups.
  const find = database
    .prepare<[{ readonly name: string }], [isLive: number, owner: string | null]>(
      `SELECT EXISTS (SELECT 1 FROM sessions WHERE id = @name AND deleted_at IS NULL),
         (SELECT s.id FROM session_aliases a JOIN sessions s ON s.id = a.session_id
          WHERE a.alias = @name AND s.deleted_at IS NULL)`,
    )
    .raw();
  return {
    find(name) {
      const [isLive = 0, owner = null] = find.get({ name }) ?? [];
      return { isLive: isLive === 1, owner: owner ?? undefined };
    },
  };
}
