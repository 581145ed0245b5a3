import { accessTo, type FileAccess, type SqliteFile } from '../sqlite-file.js';
import { wellFormed } from '../stored-text.js';
import { isoOf, unixOf } from '../unix-time.js';
import {
  type Memory,
  MemoryError,
  type MemoryOwner,
  memoriesPerOwner,
  memoryText,
  notFound,
} from './memory.js';
import { anyOf, likeness, sortWords, wordsOf } from './memory-words.js';

/** What is asked of the memories of one agent: of one person, under all the names that are theirs. */
export interface Recall {
  readonly agentId: string;
  readonly subjects: readonly string[];
  /** Without one, the newest are given. */
  readonly question?: string;
  /** Default 10. */
  readonly limit?: number;
}

export interface MemoryQuery {
  readonly agentId?: string;
  readonly subject?: string;
  /** Part of the text, in any case of letters. */
  readonly text?: string;
  /** Only those with a smaller id. */
  readonly before?: number;
  /** Default 50. */
  readonly limit?: number;
}

/** What agents keep for good. Safe on disk when a promise resolves; calls of one owner may come from several processes. */
export interface MemoryStore {
  /** Keeps a text, or finds it where the owner has it word for word. Throws `MemoryError`. */
  add(owner: MemoryOwner, text: string, sessionKey?: string): Promise<{ memory: Memory; added: boolean }>;
  /** Those that hold any word of the question, the ones with most of it first, of equal ones the newer. */
  recall(recall: Recall): Promise<readonly Memory[]>;
  get(id: number): Promise<Memory | undefined>;
  /** Newest first. */
  list(query?: MemoryQuery): Promise<readonly Memory[]>;
  /** Throws `MemoryError`. */
  edit(id: number, text: string): Promise<Memory>;
  /** Throws `MemoryError` where there is none, or none of these subjects. The text is out of the search at once. */
  forget(id: number, within?: Pick<Recall, 'agentId' | 'subjects'>): Promise<Memory>;
}

export function createMemoryStore(file: SqliteFile, now: () => Date = () => new Date()): MemoryStore {
  const access = accessTo(file);
  const statements = prepare(access);
  const time = () => unixOf(now().toISOString());

  /** The memory, inside a write. */
  function existing(id: number): Memory {
    const row = statements.get.get(id);
    if (row === undefined) throw notFound(id);
    return memoryOf(row);
  }

  return {
    add: (owner, text, sessionKey) =>
      access.write<{ memory: Memory; added: boolean }>(() => {
        const kept = memoryText(text);
        const same = statements.same.get(owner.agentId, owner.subject, kept);
        if (same !== undefined) return () => ({ memory: memoryOf(same), added: false });
        if ((statements.count.get(owner.agentId, owner.subject) ?? 0) >= memoriesPerOwner) {
          throw new MemoryError(
            'MemoriesFull',
            `${memoriesPerOwner} memories are kept already, as many as may be. Forget one first.`,
          );
        }
        const at = time();
        return () => {
          const { lastInsertRowid } = statements.insert.run(
            owner.agentId,
            owner.subject,
            kept,
            sessionKey ?? null,
            at,
            at,
          );
          return { memory: existing(Number(lastInsertRowid)), added: true };
        };
      }),
    async recall({ agentId, subjects, question = '', limit = 10 }) {
      const words = wordsOf(question);
      const whose = JSON.stringify(subjects);
      if (words.length === 0) {
        return (await access.read(() => statements.newest.all(agentId, whose, limit))).map(memoryOf);
      }
      const { indexed, scanned } = sortWords(words);
      // A query of FTS5 must not be empty. What it finds by this is left out by its rank.
      const match = indexed.length === 0 ? '"\u0001\u0001\u0001"' : anyOf(indexed);
      const rows = await access.read(() =>
        statements.holding.all(agentId, whose, match, JSON.stringify(scanned)),
      );
      return rows
        .map((row) => ({ row, rank: likeness(row.text, words) }))
        .filter(({ rank }) => rank > 0)
        .sort((one, other) => other.rank - one.rank || other.row.id - one.row.id)
        .slice(0, limit)
        .map(({ row }) => memoryOf(row));
    },
    async get(id) {
      const row = await access.read(() => statements.get.get(id));
      return row === undefined ? undefined : memoryOf(row);
    },
    async list({ agentId = null, subject = null, text = '', before, limit = 50 } = {}) {
      const below = before ?? Number.MAX_SAFE_INTEGER;
      const rows = await access.read(() =>
        statements.list.all({ agentId, subject, text: wellFormed(text), below, limit }),
      );
      return rows.map(memoryOf);
    },
    edit: (id, text) =>
      access.write(() => {
        const kept = memoryText(text);
        existing(id);
        return () => {
          statements.edit.run(kept, time(), id);
          return existing(id);
        };
      }),
    forget: (id, within) =>
      access.write(() => {
        const memory = existing(id);
        const isTheirs =
          within === undefined ||
          (within.agentId === memory.agentId && within.subjects.includes(memory.subject));
        if (!isTheirs) throw notFound(id);
        return () => {
          statements.forget.run(id);
          return memory;
        };
      }),
  };
}

interface MemoryRow {
  readonly id: number;
  readonly agent_id: string;
  readonly subject: string;
  readonly text: string;
  readonly session_id: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

function memoryOf(row: MemoryRow): Memory {
  return {
    id: row.id,
    agentId: row.agent_id,
    subject: row.subject,
    text: row.text,
    ...(row.session_id === null ? {} : { sessionKey: row.session_id }),
    createdAt: isoOf(row.created_at),
    updatedAt: isoOf(row.updated_at),
  };
}

function prepare({ database }: FileAccess) {
  const columns = 'id, agent_id, subject, text, session_id, created_at, updated_at';
  const ofSubjects = 'agent_id = ? AND subject IN (SELECT value FROM json_each(?))';
  return {
    same: database.prepare<[string, string, string], MemoryRow>(
      `SELECT ${columns} FROM agent_memories WHERE agent_id = ? AND subject = ? AND text = ?`,
    ),
    count: database
      .prepare<[string, string], number>(
        'SELECT count(*) FROM agent_memories WHERE agent_id = ? AND subject = ?',
      )
      .pluck(),
    insert: database.prepare(
      `INSERT INTO agent_memories(agent_id, subject, text, session_id, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
    ),
    get: database.prepare<[number], MemoryRow>(`SELECT ${columns} FROM agent_memories WHERE id = ?`),
    newest: database.prepare<[string, string, number], MemoryRow>(
      `SELECT ${columns} FROM agent_memories WHERE ${ofSubjects} ORDER BY id DESC LIMIT ?`,
    ),
    holding: database.prepare<[string, string, string, string], MemoryRow>(
      `SELECT ${columns} FROM agent_memories WHERE ${ofSubjects} AND (
         id IN (SELECT rowid FROM agent_memory_search WHERE agent_memory_search MATCH ?)
         OR EXISTS (SELECT 1 FROM json_each(?) WHERE instr(holdfast_folded(text), value) > 0))`,
    ),
    list: database.prepare<[ListValues], MemoryRow>(
      `SELECT ${columns} FROM agent_memories
       WHERE id < @below AND (@agentId IS NULL OR agent_id = @agentId) AND (@subject IS NULL OR subject = @subject)
         AND (@text = '' OR instr(holdfast_folded(text), holdfast_folded(@text)) > 0)
       ORDER BY id DESC LIMIT @limit`,
    ),
    edit: database.prepare('UPDATE agent_memories SET text = ?, updated_at = ? WHERE id = ?'),
    forget: database.prepare('DELETE FROM agent_memories WHERE id = ?'),
  };
}

interface ListValues {
  readonly agentId: string | null;
  readonly subject: string | null;
  readonly text: string;
  readonly below: number;
  readonly limit: number;
}
