import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { tempFolder } from './folders.js';

/** What PicoBot does to its file, in its own statements, over a connection of its own. */
export function openPicobot(file: string) {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('foreign_keys = ON');

  const append = database.transaction((sessionId: string, role: string, content: string, at: number) => {
    const seq = database
      .prepare<[string], number>('SELECT coalesce(max(seq), 0) + 1 FROM messages WHERE session_id = ?')
      .pluck()
      .get(sessionId);
    database
      .prepare(
        `INSERT INTO messages(id, session_id, seq, role, content, media_refs_json, created_at)
         VALUES (?, ?, ?, ?, ?, '[]', ?)`,
      )
      .run(crypto.randomUUID(), sessionId, seq, role, content, at);
    database
      .prepare(
        `UPDATE sessions SET message_count = message_count + 1, updated_at = ?, last_active_at = ?,
           archived_at = NULL, user_turn_count = user_turn_count + ? WHERE id = ?`,
      )
      .run(at, at, role === 'user' ? 1 : 0, sessionId);
    return seq ?? 0;
  });

  return {
    run: (statement: string) => void database.exec(statement),
    /** Rows, or their only column. */
    all: (statement: string) => database.prepare<[], unknown>(statement).all(),
    column: (statement: string) => database.prepare<[], unknown>(statement).pluck().all(),
    append: (sessionId: string, role: string, content: string, at = Date.now()) =>
      append.immediate(sessionId, role, content, at),
    clear(sessionId: string, at = Date.now()) {
      database.prepare('DELETE FROM messages WHERE session_id = ?').run(sessionId);
      database
        .prepare(
          `UPDATE sessions SET message_count = 0, reset_cutoff_seq = 0, user_turn_count = 0,
             agent_prompt_reinjection_count = 0, updated_at = ? WHERE id = ?`,
        )
        .run(at, sessionId);
    },
    reset(sessionId: string, at = Date.now()) {
      database
        .prepare(
          `UPDATE sessions SET reset_cutoff_seq = (SELECT coalesce(max(seq), 0) FROM messages WHERE session_id = ?),
             user_turn_count = 0, agent_prompt_reinjection_count = 0, updated_at = ? WHERE id = ?`,
        )
        .run(sessionId, at, sessionId);
    },
    create(sessionId: string, channel: string, chatId: string, at = Date.now()) {
      database
        .prepare(
          `INSERT OR IGNORE INTO sessions(id, title, channel_name, chat_id, created_at, updated_at, last_active_at)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(sessionId, chatId, channel, chatId, at, at, at);
    },
    active: (sessionId: string) =>
      database
        .prepare<[string], string>(
          `SELECT m.content FROM messages m JOIN sessions s ON s.id = m.session_id
           WHERE m.session_id = ? AND m.seq > s.reset_cutoff_seq ORDER BY m.seq`,
        )
        .pluck()
        .all(sessionId),
    list: () =>
      database
        .prepare<[], string>(
          `SELECT id FROM sessions WHERE deleted_at IS NULL AND archived_at IS NULL ORDER BY last_active_at DESC`,
        )
        .pluck()
        .all(),
    row: (sessionId: string) =>
      database
        .prepare<[string], Record<string, unknown>>('SELECT * FROM sessions WHERE id = ?')
        .get(sessionId),
    close: () => void database.close(),
  };
}

/** A database of PicoBot's, as it left it. */
export async function picobotFile(): Promise<string> {
  const file = join(await tempFolder(), 'picobot.db');
  const statements = await readFile(new URL('./fixtures/picobot/sessions.sql', import.meta.url), 'utf8');
  const database = new Database(file);
  // The dump names messages before their sessions.
  database.pragma('foreign_keys = OFF');
  database.exec(statements);
  database.close();
  return file;
}
