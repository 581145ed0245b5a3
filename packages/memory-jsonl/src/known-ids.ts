import type { StoredMessage } from '@x/session-store';
import { type HistoryReader, messageOf, type PlacedLine, placing } from './history-reader.js';
import { findSeqs, scanHistory } from './history-scan.js';
import { createIdTable, type IdTable } from './id-table.js';
import { walkForward } from './line-walk.js';
import type { LogShape } from './log-shape.js';
import type { SessionEntry } from './session-entry.js';

/**
 * Which ids a session has, for the sessions in use: nearly every append carries ids of its caller, and that they are
 * new must not cost a search of the history. Bounded by slots overall; what was used longest ago goes first.
 */
export interface KnownIds {
  /** The seqs of those of `ids` that are in the history. */
  find(
    entry: SessionEntry,
    log: LogShape,
    ids: readonly string[],
    read: <T>(task: (reader: HistoryReader) => Promise<T>) => Promise<T | undefined>,
  ): Promise<Map<string, number>>;
  /** True where it is known without a look at the history that none of `ids` is in it. */
  areNew(entry: SessionEntry, ids: readonly string[]): boolean;
  /** The messages were appended to the history. */
  add(entry: SessionEntry, messages: readonly StoredMessage[]): void;
  forget(entry: SessionEntry): void;
}

export function createKnownIds(slotsKept: number): KnownIds {
  const tables = new Map<SessionEntry, IdTable>();
  let slots = 0;

  function keep(entry: SessionEntry, table: IdTable): void {
    tables.set(entry, table);
    slots += table.slots;
    for (const [oldest, other] of tables) {
      if (slots <= slotsKept || other === table) break;
      forget(oldest);
    }
  }
  function forget(entry: SessionEntry): void {
    slots -= tables.get(entry)?.slots ?? 0;
    tables.delete(entry);
  }

  return {
    async find(entry, log, ids, read) {
      const found = new Map<string, number>();
      const known = tables.get(entry);
      const table = known ?? (await read((reader) => tableOf(reader, log))) ?? createIdTable();
      if (known !== undefined) forget(entry);
      keep(entry, table);
      const suspects: string[] = [];
      for (const id of ids) {
        const seq = table.seqOf(id);
        if (seq === undefined) continue;
        const range = { after: seq - 1, before: seq + 1, limit: 1, order: 'asc' } as const;
        const [there] = (await read((reader) => scanHistory(reader, log, range))) ?? [];
        if (there?.id === id) found.set(id, seq);
        else suspects.push(id);
      }
      if (suspects.length === 0) return found;
      // Two ids with one hash, or a line that carries an id and is no message.
      for (const [id, seq] of (await read((reader) => findSeqs(reader, log, suspects))) ?? [])
        found.set(id, seq);
      return found;
    },
    areNew(entry, ids) {
      const known = tables.get(entry);
      if (known === undefined && entry.log?.lines !== 0) return false;
      const table = known ?? createIdTable();
      // What is used stays longest.
      if (known !== undefined) forget(entry);
      keep(entry, table);
      return ids.every((id) => table.seqOf(id) === undefined);
    },
    add(entry, messages) {
      const table = tables.get(entry);
      if (table === undefined) return;
      const before = table.slots;
      for (const { id, seq } of messages) table.add(id, seq);
      slots += table.slots - before;
    },
    forget,
  };
}

async function tableOf(reader: HistoryReader, log: LogShape): Promise<IdTable> {
  const table = createIdTable();
  const place = placing(0);
  for await (const lines of walkForward(reader.file, 0, log.size, reader.maxLineBytes)) {
    for (const raw of lines) {
      const line = place(raw);
      const id = writtenId(line) ?? messageOf(reader, line)?.id;
      if (id !== undefined) table.add(id, line.seq);
    }
  }
  return table;
}

const ownLine = /^\{"seq":\d{1,16},(?:"more":\d{1,9},)?"id":"([ !#-[\]-~]+)"/;

/** The id of a line of ours, without parsing it; undefined where that takes parsing. */
function writtenId({ raw }: PlacedLine): string | undefined {
  return raw.bytes === undefined ? undefined : ownLine.exec(raw.bytes.toString('latin1', 0, 128))?.[1];
}
