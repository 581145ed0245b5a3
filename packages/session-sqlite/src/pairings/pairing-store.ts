import { StoreFailed } from '@x/session-store';
import type { Database } from 'better-sqlite3';
import { accessTo, type SqliteFile } from '../sqlite-file.js';

/** `asked`: has a code and waits for the operator · `approved` · `refused`: gets no answer, and no new code. */
export type PairingState = 'asked' | 'approved' | 'refused';

export interface Pairing {
  readonly channel: string;
  readonly senderId: string;
  /** As the platform calls the person; empty where it does not say. */
  readonly name: string;
  /** Only while `asked`. */
  readonly code: string | undefined;
  readonly state: PairingState;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Who may talk to a channel, and who asked. Every write is on the disk when it resolves. */
export interface PairingStore {
  find(channel: string, senderId: string): Promise<Pairing | undefined>;
  findByCode(code: string): Promise<Pairing | undefined>;
  /** Takes the place of what was known of this person on this channel. */
  put(pairing: Omit<Pairing, 'createdAt' | 'updatedAt'>): Promise<Pairing>;
  remove(channel: string, senderId: string): Promise<boolean>;
  /** Newest change first. */
  list(): Promise<readonly Pairing[]>;
  countAsked(channel: string): Promise<number>;
}

interface Row {
  readonly channel: string;
  readonly sender_id: string;
  readonly name: string;
  readonly code: string | null;
  readonly state: PairingState;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Pairings in an open file. `clock` is what their times are taken from. */
export function createPairingStore(file: SqliteFile, clock: () => Date = () => new Date()): PairingStore {
  const { database, read, write } = accessTo(file);
  const table = createPairingTable(database);
  return {
    find: (channel, senderId) => read(() => pairingOf(table.find.get(channel, senderId))),
    findByCode: (code) => read(() => pairingOf(table.findByCode.get(code))),
    put: ({ channel, senderId, name, code, state }) =>
      write(() => () => {
        const now = clock().getTime();
        const row = table.put.get(channel, senderId, name, code ?? null, state, now, now);
        if (row === undefined) throw new StoreFailed(`The pairing of ${senderId} was not stored.`);
        return pairingOf(row);
      }),
    remove: (channel, senderId) => write(() => () => table.remove.run(channel, senderId).changes > 0),
    list: () => read(() => table.list.all().map((row) => pairingOf(row))),
    countAsked: (channel) => read(() => table.countAsked.get(channel) ?? 0),
  };
}

function createPairingTable(database: Database) {
  return {
    find: database.prepare<[string, string], Row>(
      'SELECT * FROM channel_pairings WHERE channel = ? AND sender_id = ?',
    ),
    findByCode: database.prepare<[string], Row>('SELECT * FROM channel_pairings WHERE code = ?'),
    put: database.prepare<[string, string, string, string | null, string, number, number], Row>(
      `INSERT INTO channel_pairings VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT(channel, sender_id) DO UPDATE SET
         name = excluded.name, code = excluded.code, state = excluded.state, updated_at = excluded.updated_at
       RETURNING *`,
    ),
    remove: database.prepare<[string, string]>(
      'DELETE FROM channel_pairings WHERE channel = ? AND sender_id = ?',
    ),
    list: database.prepare<[], Row>(
      'SELECT * FROM channel_pairings ORDER BY updated_at DESC, channel, sender_id',
    ),
    countAsked: database
      .prepare<[string], number>(
        "SELECT count(*) FROM channel_pairings WHERE channel = ? AND state = 'asked'",
      )
      .pluck(),
  };
}

function pairingOf(row: Row): Pairing;
function pairingOf(row: Row | undefined): Pairing | undefined;
function pairingOf(row: Row | undefined): Pairing | undefined {
  if (row === undefined) return undefined;
  return {
    channel: row.channel,
    senderId: row.sender_id,
    name: row.name,
    code: row.code ?? undefined,
    state: row.state,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  };
}
