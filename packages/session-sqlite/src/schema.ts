import { StoreCorrupt, StoreFailed } from '@x/session-store';
import type { Database } from 'better-sqlite3';
import { migrations } from './migrations/migration-list.js';

export const schemaVersion = migrations.length;

/**
 * Brings the tables up to date, in one transaction, once, however many processes open the file at the same time.
 * PicoBot's file has no version: ours is kept in a table of our own. Throws `StoreFailed` where a newer program
 * made the file, or one that is neither PicoBot nor this.
 */
export function migrate(database: Database, file: string): void {
  if (versionOf(database, file) === schemaVersion) return;
  database
    .transaction(() => {
      // Asked again: another process may have done it while this one waited for the lock.
      const version = versionOf(database, file);
      if (version === schemaVersion) return;
      if (version === 0) checkTables(database, file);
      database.exec(
        'CREATE TABLE IF NOT EXISTS holdfast_schema(version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL)',
      );
      migrations.slice(version).forEach((statements, index) => {
        database.exec(statements);
        database.prepare('INSERT INTO holdfast_schema VALUES (?, ?)').run(version + index + 1, Date.now());
      });
    })
    .immediate();
}

/** 0 for a new file and for PicoBot's. Throws where the version is newer than this program knows. */
export function versionOf(database: Database, file: string): number {
  const known = database
    .prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'holdfast_schema'")
    .pluck()
    .get();
  if (known === 0) return 0;
  const version = database.prepare('SELECT coalesce(max(version), 0) FROM holdfast_schema').pluck().get();
  if (typeof version !== 'number')
    throw new StoreCorrupt(`${file}: the schema version is no number.`, { path: file });
  if (version > schemaVersion) {
    throw new StoreFailed(
      `${file} was written by a newer version of this program (schema ${version}, this one knows ${schemaVersion}). Update the program.`,
      { path: file },
    );
  }
  return version;
}

const picobotColumns = {
  sessions:
    'id title channel_name chat_id summary created_at updated_at last_active_at archived_at deleted_at message_count reset_cutoff_seq user_turn_count agent_prompt_reinjection_count',
  messages:
    'id session_id seq role content media_refs_json tool_call_id tool_name tool_calls_json created_at',
  scheduler_jobs:
    'id kind schedule_json interval_secs startup_delay_secs target_json payload_json enabled state last_status last_error run_count max_runs last_fired_at next_fire_at paused_at completed_at created_at updated_at',
};

/** Tables of these names that are not PicoBot's belong to somebody else: nothing is changed in them. */
function checkTables(database: Database, file: string): void {
  for (const [table, columns] of Object.entries(picobotColumns)) {
    const there = database.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table);
    const missing = columns.split(' ').filter((column) => !there.includes(column));
    if (there.length > 0 && missing.length > 0) {
      throw new StoreFailed(
        `${file} belongs to another program: its table ${table} has no column ${missing.join(', ')}. Name another file.`,
        { path: file },
      );
    }
  }
}
