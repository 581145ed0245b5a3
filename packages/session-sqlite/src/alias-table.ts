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
