import Database from 'better-sqlite3';

/*
 * The limit: the same statements on the same tables, by hand, with nothing around them. No message has a field that
 * needs JSON, nobody else is expected, nothing is checked.
 */

export interface RawSessions {
  readonly database: Database.Database;
  append(key: string, content: string): void;
  batch(appends: readonly (readonly [key: string, content: string])[]): void;
  readAll(key: string): number;
  readLast(key: string, count: number): number;
  newest(count: number): number;
  resolve(alias: string): string | undefined;
  keepLast(key: string, count: number, summary: string): void;
  compact(key: string): void;
  close(): void;
}

export function openRawSessions(file: string): RawSessions {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  const find = database.prepare<
    [string],
    {
      last_seq: number;
      number: number;
      message_count: number;
      active_count: number;
      user_turn_count: number;
      revision: number;
    }
  >(
    `SELECT s.*, (SELECT max(seq) FROM messages WHERE session_id = s.id) AS top_seq FROM sessions s WHERE s.id = ?`,
  );
  const count = database.prepare(
    `UPDATE sessions SET updated_at = ?, last_active_at = ?, archived_at = NULL, message_count = ?,
       user_turn_count = ?, agent_prompt_reinjection_count = 0, last_seq = ?, active_count = ?, interaction_at = ?,
       segment_started_at = ?, revision = ?, seen_updated_at = ?, seen_message_count = ? WHERE id = ?`,
  );
  const insert = database.prepare(
    `INSERT INTO messages(id, session_id, message_id, seq, role, content, created_at, media_refs_json)
     VALUES (?, ?, ?, ?, 'user', ?, ?, '[]')`,
  );
  const message = `SELECT coalesce(message_id, id) AS id, seq, role, content, created_at, media_refs_json, tool_call_id,
      tool_name, tool_calls_json, model_name, reasoning, usage_json, meta_json, content_json, unknown_json
    FROM messages WHERE session_id = ?`;
  const all = database.prepare<[string]>(`${message} ORDER BY seq`);
  const last = database.prepare<[string, number]>(`${message} ORDER BY seq DESC LIMIT ?`);
  const list = database.prepare<[number]>(
    `SELECT s.*, (SELECT max(seq) FROM messages WHERE session_id = s.id) AS top_seq FROM sessions s
     WHERE deleted_at IS NULL AND archived_at IS NULL
     ORDER BY last_active_at DESC, coalesce(key_order, CAST(id AS BLOB)) LIMIT ?`,
  );
  const owner = database
    .prepare<[string], string>('SELECT session_id FROM session_aliases WHERE alias = ?')
    .pluck();
  const nth = database
    .prepare<[string, number], number>(
      'SELECT seq FROM messages WHERE session_id = ? ORDER BY seq DESC LIMIT 1 OFFSET ?',
    )
    .pluck();
  const cut = database.prepare(
    'UPDATE sessions SET reset_cutoff_seq = ?, seen_cutoff_seq = ?, active_count = ?, summary = ? WHERE id = ?',
  );
  const drop = database.prepare(
    'DELETE FROM messages WHERE session_id = ? AND seq <= (SELECT reset_cutoff_seq FROM sessions WHERE id = ?)',
  );

  function append(key: string, content: string): void {
    const session = find.get(key);
    if (session === undefined) throw new Error(`There is no session "${key}".`);
    const now = Date.now();
    const seq = session.last_seq + 1;
    const total = session.message_count + 1;
    count.run(
      now,
      now,
      total,
      session.user_turn_count + 1,
      seq,
      session.active_count + 1,
      now,
      now,
      session.revision + 1,
      now,
      total,
      key,
    );
    insert.run(`hf-${session.number}-${seq}`, key, crypto.randomUUID(), seq, content, now);
  }

  return {
    database,
    append: database.transaction(append).immediate,
    batch: database.transaction((appends: readonly (readonly [string, string])[]) => {
      for (const [key, content] of appends) append(key, content);
    }).immediate,
    readAll: (key) => all.all(key).length,
    readLast: (key, number) => last.all(key, number).length,
    newest: (number) => list.all(number).length,
    resolve: (alias) => owner.get(alias),
    keepLast: database.transaction((key: string, number: number, summary: string) => {
      const cutoff = nth.get(key, number);
      cut.run(cutoff, cutoff, number, summary, key);
    }).immediate,
    compact: database.transaction((key: string) => void drop.run(key, key)).immediate,
    close: () => void database.close(),
  };
}
