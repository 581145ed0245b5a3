import type { Database } from 'better-sqlite3';
import { accessTo, type SqliteFile } from '../sqlite-file.js';
import { type JobRecord, type JobRow, jobOfRow, rowOfJob } from './job-record.js';

/**
 * Jobs in PicoBot's table `scheduler_jobs` of an open file: a `JobStore` of `@x/scheduler`, whose promises it keeps for
 * all who share the file. What PicoBot changes meanwhile counts as a change.
 */
export interface SqliteJobStore {
  insert(job: JobRecord): Promise<boolean>;
  get(id: string): Promise<JobRecord | undefined>;
  list(): Promise<readonly JobRecord[]>;
  due(now: number, limit: number): Promise<readonly JobRecord[]>;
  nextDueAt(): Promise<number | undefined>;
  running(): Promise<readonly JobRecord[]>;
  replace(seen: JobRecord, next: JobRecord): Promise<JobRecord | undefined>;
  remove(id: string): Promise<boolean>;
}

/** The jobs in a file that `openSqliteFile` has opened. Throws `Unsupported` from every write where it is only read. */
export function createJobStore(file: SqliteFile): SqliteJobStore {
  const access = accessTo(file);
  const table = createJobTable(access.database);
  return {
    insert: (job) => access.write(() => () => table.insert({ ...job, revision: 1 })),
    get: (id) => access.read(() => table.get(id)),
    list: () => access.read(table.list),
    due: (now, limit) => access.read(() => table.due(now, limit)),
    nextDueAt: () => access.read(table.nextDueAt),
    running: () => access.read(table.running),
    replace: (seen, next) => access.write(() => () => table.replace(seen, next)),
    remove: (id) => access.write(() => () => table.remove(id)),
  };
}

const columns =
  `id kind schedule_json interval_secs startup_delay_secs target_json payload_json enabled state last_status
  last_error run_count max_runs last_fired_at next_fire_at paused_at completed_at created_at updated_at time_zone source
  title missed_runs due_at failures claim_owner claim_token revision`.split(/\s+/);

/** Due are those that the partial index `scheduler_jobs_due` holds: its condition has to stand in the query as it is. */
const waits = "state = 'scheduled' AND enabled = 1 AND next_fire_at IS NOT NULL";

function createJobTable(database: Database) {
  const insert = database.prepare(
    `INSERT INTO scheduler_jobs(${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})
     ON CONFLICT(id) DO NOTHING`,
  );
  const get = database.prepare<[string], JobRow>('SELECT * FROM scheduler_jobs WHERE id = ?');
  const list = database.prepare<[], JobRow>('SELECT * FROM scheduler_jobs ORDER BY created_at, id');
  const due = database.prepare<[number, number], JobRow>(
    `SELECT * FROM scheduler_jobs WHERE ${waits} AND next_fire_at <= ? ORDER BY next_fire_at, id LIMIT ?`,
  );
  const nextDueAt = database
    .prepare<[], number>(
      `SELECT next_fire_at FROM scheduler_jobs WHERE ${waits} ORDER BY next_fire_at LIMIT 1`,
    )
    .pluck();
  const running = database.prepare<[], JobRow>(
    "SELECT * FROM scheduler_jobs WHERE state = 'running' ORDER BY id",
  );
  // PicoBot leaves the revision alone: what it changes shows in the others.
  const replace = database.prepare(
    `UPDATE scheduler_jobs SET ${columns.map((name) => `${name} = @${name}`).join(', ')}
     WHERE id = @id AND coalesce(revision, 0) = @seen_revision AND updated_at = @seen_updated_at
       AND state = @seen_state`,
  );
  const remove = database.prepare('DELETE FROM scheduler_jobs WHERE id = ?');

  return {
    insert: (job: JobRecord) => insert.run(rowOfJob(job)).changes > 0,
    get(id: string) {
      const row = get.get(id);
      return row === undefined ? undefined : jobOfRow(row);
    },
    list: () => list.all().map(jobOfRow),
    due: (now: number, limit: number) => due.all(now, limit).map(jobOfRow),
    nextDueAt: () => nextDueAt.get(),
    running: () => running.all().map(jobOfRow),
    replace(seen: JobRecord, next: JobRecord) {
      const stored = { ...next, id: seen.id, revision: seen.revision + 1 };
      const { changes } = replace.run({
        ...rowOfJob(stored),
        seen_revision: seen.revision,
        seen_updated_at: seen.updatedAt,
        seen_state: seen.state,
      });
      return changes === 0 ? undefined : jobOfRow(rowOfJob(stored));
    },
    remove: (id: string) => remove.run(id).changes > 0,
  };
}
