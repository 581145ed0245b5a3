import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { aliasOf, keyOf, line, message } from './folders.mjs';
import { elapsed } from './measure.mjs';

// A dependency of the SQLite store, not of this one.
const Database = createRequire(join(import.meta.dirname, '../../session-sqlite/package.json'))(
  'better-sqlite3',
);

/** better-sqlite3 with a write-ahead log, `synchronous = FULL` and prepared statements, without a contract above it. */
export const sqlite = {
  async A(directory, { count }) {
    const { database, insert } = open(directory);
    const ms = await elapsed(async () => {
      for (let n = 1; n <= count; n += 1) insert.run(keyOf(0), n, message(n).id, line(n));
    });
    database.close();
    return { value: (count / ms) * 1000 };
  },

  /** One commit for all that is asked for in one round of the event loop. */
  async A2(directory, { count }) {
    const { database, insert } = open(directory);
    const store = database.transaction((batch) => {
      for (const row of batch) insert.run(...row);
    });
    let waiting = [];
    const append = (...row) =>
      new Promise((done) => {
        if (waiting.push({ row, done }) > 1) return;
        setImmediate(() => {
          const batch = waiting;
          waiting = [];
          store(batch.map((each) => each.row));
          for (const each of batch) each.done();
        });
      });
    const ms = await elapsed(() =>
      Promise.all(
        Array.from({ length: 64 }, async (_, session) => {
          for (let n = 1; n <= count / 64; n += 1) await append(keyOf(session), n, message(n).id, line(n));
        }),
      ),
    );
    database.close();
    return { value: (count / ms) * 1000 };
  },

  async B(directory, { count }) {
    prepare(directory, count);
    let found = [];
    const ms = await elapsed(async () => {
      const { database, all } = open(directory);
      found = all.all(keyOf(1)).map(({ body }) => JSON.parse(body));
      database.close();
    });
    if (found.length !== count) throw new Error(`${found.length} messages`);
    return { value: ms };
  },

  async C(directory) {
    prepare(directory, 100_000);
    const { database, last } = open(directory);
    let found = [];
    const ms = await elapsed(async () => {
      found = last.all(keyOf(1), 50).map(({ body }) => JSON.parse(body));
    });
    database.close();
    if (found.length !== 50) throw new Error(`${found.length} messages`);
    return { value: ms };
  },

  async E(_directory, { count }) {
    const database = new Database(':memory:');
    database.exec('CREATE TABLE alias (name TEXT PRIMARY KEY, key TEXT NOT NULL) WITHOUT ROWID');
    const insert = database.prepare('INSERT INTO alias VALUES (?, ?)');
    for (let n = 0; n < count; n += 1) insert.run(aliasOf(n), keyOf(n));
    const owner = database.prepare('SELECT key FROM alias WHERE name = ?').pluck();
    const resolve = async (alias) => owner.get(alias);
    const rounds = 20_000;
    const ms = await elapsed(async () => {
      for (let n = 0; n < rounds; n += 1) {
        if ((await resolve(aliasOf((n * 7919) % count))) === undefined) throw new Error('not found');
      }
    });
    database.close();
    return { value: (ms / rounds) * 1000 };
  },

  async G(directory) {
    prepare(directory, 10_000);
    const { database } = open(directory);
    const ms = await elapsed(async () => {
      database.transaction(() => {
        database.prepare('DELETE FROM message WHERE key = ? AND seq <= ?').run(keyOf(1), 9_980);
        database.prepare('INSERT OR REPLACE INTO summary VALUES (?, ?)').run(keyOf(1), 'They are alike.');
      })();
    });
    database.close();
    return { value: ms };
  },
};

function open(directory) {
  const database = new Database(join(directory, 'bench.sqlite'));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec(
    `CREATE TABLE IF NOT EXISTS message
       (key TEXT, seq INTEGER, id TEXT, body TEXT, PRIMARY KEY (key, seq), UNIQUE (key, id)) WITHOUT ROWID;
     CREATE TABLE IF NOT EXISTS summary (key TEXT PRIMARY KEY, text TEXT)`,
  );
  return {
    database,
    insert: database.prepare('INSERT INTO message VALUES (?, ?, ?, ?)'),
    all: database.prepare('SELECT body FROM message WHERE key = ? ORDER BY seq'),
    last: database.prepare('SELECT body FROM message WHERE key = ? ORDER BY seq DESC LIMIT ?'),
  };
}

function prepare(directory, count) {
  if (existsSync(join(directory, 'bench.sqlite'))) return;
  const { database, insert } = open(directory);
  database.transaction(() => {
    for (let n = 1; n <= count; n += 1) insert.run(keyOf(1), n, message(n).id, line(n));
  })();
  database.close();
}
