// Ours beside raw better-sqlite3 doing the same statements, in one run: pnpm bench [letter …]
// F (100,000 sessions, or BENCH_SESSIONS) and S (search in a million messages, or BENCH_MESSAGES) only where asked for.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createSqliteBackend } from '@x/session-sqlite';
import type { SessionBackend } from '@x/session-store';
import { inTurn, lineOf, type Measurement, median, timed } from './measurement.js';
import { openRawSessions } from './raw-sessions.js';

const wanted = new Set(process.argv.slice(2).map((letter) => letter.toUpperCase()));
const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
const words =
  'the morning report says that rain will reach the coast before noon and clear up later in the day'.split(
    ' ',
  );
const content = Array.from({ length: 90 }, (_, index) => words[(index * 7) % words.length])
  .join(' ')
  .slice(0, 500);
const message = { role: 'user', content } as const;
let files = 0;

async function freshFile(keys: readonly string[]): Promise<string> {
  files += 1;
  const file = join(folder, `${files}.db`);
  const store = await createSqliteBackend({ file });
  await Promise.all(keys.map((key) => store.ensure(key)));
  await store.close();
  return file;
}

async function withStore<T>(file: string, task: (store: SessionBackend) => Promise<T>): Promise<T> {
  const store = await createSqliteBackend({ file });
  const value = await task(store);
  await store.close();
  return value;
}

function say(measurement: Measurement): void {
  console.log(lineOf(measurement));
}

const isWanted = (letter: string) => wanted.size === 0 || wanted.has(letter);

if (isWanted('A')) {
  const count = 3000;
  const outcome = await inTurn(
    3,
    async () => {
      const file = await freshFile(['a']);
      return withStore(file, async (store) => {
        const ms = await timed(async () => {
          for (let n = 0; n < count; n += 1) await store.append('a', [message]);
        });
        return (count / ms) * 1000;
      });
    },
    async () => {
      const raw = openRawSessions(await freshFile(['a']));
      const ms = await timed(() => {
        for (let n = 0; n < count; n += 1) raw.append('a', content);
      });
      raw.close();
      return (count / ms) * 1000;
    },
  );
  say({ workload: 'A   appends, one session, each awaited', unit: '/s', ...outcome });
}

if (isWanted('A2')) {
  const keys = Array.from({ length: 64 }, (_, index) => `session ${index}`);
  const each = 200;
  let blockedMs = 0;
  const outcome = await inTurn(
    3,
    async () => {
      const file = await freshFile(keys);
      return withStore(file, async (store) => {
        const delay = monitorEventLoopDelay({ resolution: 5 });
        delay.enable();
        const ms = await timed(() =>
          Promise.all(
            keys.map(async (key) => {
              for (let n = 0; n < each; n += 1) await store.append(key, [message]);
            }),
          ),
        );
        delay.disable();
        blockedMs = Math.max(blockedMs, delay.max / 1e6);
        return ((keys.length * each) / ms) * 1000;
      });
    },
    async () => {
      const raw = openRawSessions(await freshFile(keys));
      const ms = await timed(() => {
        for (let n = 0; n < each; n += 1) raw.batch(keys.map((key) => [key, content]));
      });
      raw.close();
      return ((keys.length * each) / ms) * 1000;
    },
  );
  say({ workload: 'A2  appends, 64 sessions in flight', unit: '/s', ...outcome });
  console.log(`    the event loop was held up for at most ${blockedMs.toFixed(0)} ms`);
}

async function cold(letter: string, workload: string, what: string, file: string) {
  const start = (who: string) => {
    const told = execFileSync(process.execPath, [
      join(import.meta.dirname, 'cold-start.js'),
      who,
      what,
      file,
    ]);
    return JSON.parse(told.toString()) as { readonly whole: number; readonly fromOpen: number };
  };
  const runs = { ours: [] as ReturnType<typeof start>[], limit: [] as ReturnType<typeof start>[] };
  for (let round = 0; round < 7; round += 1) {
    runs.ours.push(start('ours'));
    runs.limit.push(start('raw'));
  }
  for (const [part, name] of [
    ['whole', 'with loading the libraries'],
    ['fromOpen', 'from the open'],
  ] as const) {
    say({
      workload: `${letter.padEnd(4)}${workload}, ${name}`,
      unit: 'ms',
      ours: runs.ours.map((run) => run[part]),
      limit: runs.limit.map((run) => run[part]),
    });
  }
}

async function fill(file: string, key: string, count: number): Promise<void> {
  await withStore(file, async (store) => {
    for (let sent = 0; sent < count; sent += 1000) {
      await store.append(
        key,
        Array.from({ length: 1000 }, () => message),
      );
    }
  });
}

if (isWanted('B')) {
  const file = await freshFile(['long']);
  await fill(file, 'long', 10_000);
  await cold('B', 'read 10,000 messages, cold', 'read', file);
}

if (isWanted('C')) {
  const file = await freshFile(['huge']);
  await fill(file, 'huge', 100_000);
  await cold('C', 'last 50 of 100,000 messages, cold', 'last', file);
}

if (isWanted('D') || isWanted('E')) {
  const count = 10_000;
  const file = await freshFile([]);
  await withStore(file, async (store) => {
    await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        await store.ensure(`session ${index}`, { title: `Title ${index}`, aliases: [`alias ${index}`] });
        await store.append(`session ${index}`, [message]);
      }),
    );
  });
  if (isWanted('D')) await cold('D', 'newest 50 of 10,000 sessions, cold', 'list', file);
  const raw = openRawSessions(file);
  await withStore(file, async (store) => {
    const times = 2000;
    const many = (task: (turn: number) => unknown) => async () =>
      ((await timed(async () => {
        for (let turn = 0; turn < times; turn += 1) await task(turn);
      })) /
        times) *
      1000;
    if (isWanted('D')) {
      say({
        workload: 'D   newest 50 of 10,000 sessions, warm',
        unit: 'µs',
        ...(await inTurn(
          5,
          many(() => store.list({ limit: 50 })),
          many(() => raw.newest(51)),
        )),
      });
    }
    if (isWanted('E')) {
      const alias = (turn: number) => `alias ${(turn * 7919) % count}`;
      say({
        workload: 'E   resolve an alias among 10,000 sessions',
        unit: 'µs',
        ...(await inTurn(
          5,
          many((turn) => store.resolve(alias(turn))),
          many((turn) => raw.resolve(alias(turn))),
        )),
      });
    }
  });
  raw.close();
}

/** Those that take minutes are run when they are asked for. */
if (wanted.has('F')) {
  const count = Number(process.env.BENCH_SESSIONS ?? 100_000);
  const file = await freshFile(Array.from({ length: count }, (_, index) => `session ${index}`));
  await cold('F', `newest 50 of ${count.toLocaleString('en')} sessions, cold`, 'list', file);
  await withStore(file, async (store) => {
    const times: number[] = [];
    for (let round = 0; round < 50; round += 1)
      times.push((await timed(() => store.list({ limit: 50 }))) * 1000);
    console.log(`    a warm list takes ${median(times).toFixed(0)} µs`);
  });
}

if (wanted.has('S')) {
  const count = Number(process.env.BENCH_MESSAGES ?? 1_000_000);
  const each = 1000;
  const keys = Array.from({ length: Math.ceil(count / each) }, (_, index) => `session ${index}`);
  const file = await freshFile(keys);
  await withStore(file, async (store) => {
    const filling = await timed(async () => {
      for (const [index, key] of keys.entries()) {
        await store.append(
          key,
          Array.from({ length: each }, (_, place) => ({
            role: 'user' as const,
            content: place === 0 ? `${content} number ${index} zq${index}` : content,
          })),
        );
      }
    });
    const indexing = await timed(() => store.search('nothing of the kind'));
    console.log(
      `S   ${count.toLocaleString('en')} messages: stored in ${(filling / 1000).toFixed(0)} s, the rest indexed in ${(indexing / 1000).toFixed(0)} s`,
    );
    for (const [what, text] of [
      ['a word of one message', `zq${keys.length >> 1}`],
      ['a word of one in a thousand', 'number'],
      ['a word of every message', 'morning'],
      ['a word of none', 'umbrella'],
    ] as const) {
      const times: number[] = [];
      for (let round = 0; round < 5; round += 1)
        times.push(await timed(() => store.search(text, { limit: 20 })));
      console.log(`    search for ${what}: ${median(times).toFixed(1)} ms`);
    }
  });
}

if (isWanted('G')) {
  const cut: { ours: number[]; limit: number[] } = { ours: [], limit: [] };
  const compact: { ours: number[]; limit: number[] } = { ours: [], limit: [] };
  for (let round = 0; round < 5; round += 1) {
    const file = await freshFile(['ours', 'raw']);
    await fill(file, 'ours', 10_000);
    await fill(file, 'raw', 10_000);
    await withStore(file, async (store) => {
      cut.ours.push(await timed(() => store.truncate('ours', { keepLast: 20, summary: 'so far' })));
      compact.ours.push(await timed(() => store.compact('ours')));
    });
    const raw = openRawSessions(file);
    cut.limit.push(await timed(() => raw.keepLast('raw', 20, 'so far')));
    compact.limit.push(await timed(() => raw.compact('raw')));
    raw.close();
  }
  say({ workload: 'G   keep the last 20 of 10,000 and set a summary', unit: 'ms', ...cut });
  say({ workload: 'G   and remove the others', unit: 'ms', ...compact });
}

rmSync(folder, { recursive: true, force: true });
