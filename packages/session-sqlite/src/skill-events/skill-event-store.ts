import { accessTo, type FileAccess, type SqliteFile } from '../sqlite-file.js';
import { wellFormed } from '../stored-text.js';
import { isoOf, unixOf } from '../unix-time.js';

/**
 * - `found`: a skill is there that was not, or is not what it was (its `digest` is another).
 * - `skipped`: one is there that cannot be used; `reason` says why.
 * - `gone`: one is there no more.
 * - `used`: an agent took it up, in a session.
 */
export type SkillEventKind = 'found' | 'skipped' | 'gone' | 'used';

export interface NewSkillEvent {
  readonly kind: SkillEventKind;
  /** The skill's name, or its folder's where it has none that can be used. */
  readonly skill: string;
  /** Where it comes from, in a word of the caller's. */
  readonly source: string;
  /** Its file. */
  readonly path: string;
  /** What its content comes to; two contents never come to the same. */
  readonly digest?: string;
  readonly reason?: string;
  readonly agentId?: string;
  readonly sessionKey?: string;
}

export interface SkillEvent extends NewSkillEvent {
  /** Rises from event to event. */
  readonly id: number;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
}

export interface SkillEventQuery {
  readonly skill?: string;
  readonly kind?: SkillEventKind;
  readonly sessionKey?: string;
  /** Only those with a smaller id. */
  readonly before?: number;
  /** Default 50. */
  readonly limit?: number;
}

/** What happened to skills. Nothing is ever changed in it. */
export interface SkillEventStore {
  record(event: NewSkillEvent): Promise<SkillEvent>;
  /**
   * Notes what is there now: records what differs from what was last recorded of each file, and returns just that.
   * What is not there any more is `gone` where it lay in one of these folders; of others nobody says anything.
   */
  recordFound(present: readonly NewSkillEvent[], folders: readonly string[]): Promise<readonly SkillEvent[]>;
  /** Newest first. */
  list(query?: SkillEventQuery): Promise<readonly SkillEvent[]>;
}

export function createSkillEventStore(file: SqliteFile, now: () => Date = () => new Date()): SkillEventStore {
  const access = accessTo(file);
  const statements = prepare(access);

  function insert(event: NewSkillEvent): SkillEvent {
    const { kind, skill, source, path, digest = null, reason = null } = event;
    const { agentId = null, sessionKey = null } = event;
    const texts = [skill, source, path].map(wellFormed);
    const at = unixOf(now().toISOString());
    const said = reason === null ? null : wellFormed(reason);
    const { lastInsertRowid } = statements.insert.run(kind, ...texts, digest, said, agentId, sessionKey, at);
    return { ...event, id: Number(lastInsertRowid), createdAt: isoOf(at) };
  }

  return {
    record: (event) => access.write(() => () => insert(event)),
    recordFound: (present, folders) =>
      access.write(() => {
        const known = new Map(statements.latest.all().map((row) => [row.path, row]));
        const news = present.filter(({ kind, path, digest = null, reason = null }) => {
          const last = known.get(wellFormed(path));
          return last?.kind !== kind || last.digest !== digest || last.reason !== reason;
        });
        const there = new Set(present.map(({ path }) => wellFormed(path)));
        const gone = [...known.values()]
          .filter(({ path, kind }) => kind !== 'gone' && !there.has(path) && isWithin(path, folders))
          .map(({ skill, source, path }) => ({ kind: 'gone' as const, skill, source, path }));
        return () => [...news, ...gone].map(insert);
      }),
    async list({ skill = null, kind = null, sessionKey = null, before, limit = 50 } = {}) {
      const below = before ?? Number.MAX_SAFE_INTEGER;
      const values = { skill, kind, sessionKey, below, limit };
      return (await access.read(() => statements.list.all(values))).map(eventOf);
    },
  };
}

function isWithin(path: string, folders: readonly string[]): boolean {
  return folders.some(
    (folder) => path.startsWith(wellFormed(folder)) && /^[\\/]/.test(path.slice(wellFormed(folder).length)),
  );
}

interface SkillEventRow {
  readonly id: number;
  readonly kind: SkillEventKind;
  readonly skill: string;
  readonly source: string;
  readonly path: string;
  readonly digest: string | null;
  readonly reason: string | null;
  readonly agent_id: string | null;
  readonly session_id: string | null;
  readonly created_at: number;
}

function eventOf(row: SkillEventRow): SkillEvent {
  return {
    id: row.id,
    kind: row.kind,
    skill: row.skill,
    source: row.source,
    path: row.path,
    ...(row.digest === null ? {} : { digest: row.digest }),
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.agent_id === null ? {} : { agentId: row.agent_id }),
    ...(row.session_id === null ? {} : { sessionKey: row.session_id }),
    createdAt: isoOf(row.created_at),
  };
}

function prepare({ database }: FileAccess) {
  const columns = 'id, kind, skill, source, path, digest, reason, agent_id, session_id, created_at';
  return {
    insert: database.prepare(
      `INSERT INTO agent_skill_events(kind, skill, source, path, digest, reason, agent_id, session_id, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    latest: database.prepare<[], SkillEventRow>(
      `SELECT ${columns} FROM agent_skill_events WHERE id IN (
         SELECT max(id) FROM agent_skill_events WHERE kind <> 'used' GROUP BY path)`,
    ),
    list: database.prepare<[Readonly<Record<string, string | number | null>>], SkillEventRow>(
      `SELECT ${columns} FROM agent_skill_events
       WHERE id < @below AND (@skill IS NULL OR skill = @skill) AND (@kind IS NULL OR kind = @kind)
         AND (@sessionKey IS NULL OR session_id = @sessionKey)
       ORDER BY id DESC LIMIT @limit`,
    ),
  };
}
