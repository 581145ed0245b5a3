import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { aliasOf, keyOf, line } from './folders.mjs';
import { elapsed, memory, mixedLoad } from './measure.mjs';

/*
 * The least that each workload can cost: simple programs that promise the same durability and nothing else.
 * No checks, no numbering, no aliases, no repair.
 */
export const limits = {
  /** One descriptor: write, fdatasync. */
  async A(directory, { count }) {
    const file = await open(join(directory, 'log'), 'a');
    const ms = await elapsed(async () => {
      for (let n = 1; n <= count; n += 1) {
        await file.write(line(n));
        await file.datasync();
      }
    });
    await file.close();
    return { value: (count / ms) * 1000 };
  },

  /** One file shared by all, one sync a batch, then an unsynced write to each session's own file. */
  async A2(directory, { count }) {
    const log = await journal(directory, 64);
    const ms = await elapsed(() =>
      Promise.all(
        Array.from({ length: 64 }, async (_, session) => {
          for (let n = 1; n <= count / 64; n += 1) await log.append(session, line(n));
        }),
      ),
    );
    await log.close();
    return { value: (count / ms) * 1000 };
  },

  /** readFile, JSON.parse a line. */
  async B(directory, { count }) {
    let found = [];
    const ms = await elapsed(async () => {
      const text = await readFile(join(directory, `${keyOf(1)}.jsonl`), 'utf8');
      found = text
        .split('\n')
        .slice(0, -1)
        .map((each) => JSON.parse(each));
    });
    if (found.length !== count) throw new Error(`${found.length} messages`);
    return { value: ms };
  },

  /** The last 64 kB, parsed from the end. */
  async C(directory) {
    let found = [];
    const ms = await elapsed(async () => {
      const file = await open(join(directory, `${keyOf(1)}.jsonl`), 'r');
      const { size } = await file.stat();
      const block = Buffer.alloc(65_536);
      await file.read(block, 0, block.length, size - block.length);
      await file.close();
      found = block
        .toString()
        .split('\n')
        .slice(-51, -1)
        .map((each) => JSON.parse(each));
    });
    if (found.length !== 50) throw new Error(`${found.length} messages`);
    return { value: ms };
  },

  /** The listing, a stat of each history, the metadata of the newest fifty. */
  async D(directory) {
    let newest = [];
    const ms = await elapsed(async () => {
      newest = newestOf(listed(directory));
      for (const { name } of newest) JSON.parse(readFileSync(join(directory, `${name}.meta.json`), 'utf8'));
    });
    const all = listed(directory);
    const warm = await elapsed(async () => {
      for (let n = 0; n < 50; n += 1) newestOf(all);
    });
    return { value: ms, warm: warm / 50 };
  },

  /** A map. */
  async E(_directory, { count }) {
    const owners = new Map(Array.from({ length: count }, (_, n) => [aliasOf(n), keyOf(n)]));
    const resolve = async (alias) => owners.get(alias);
    const rounds = 20_000;
    const ms = await elapsed(async () => {
      for (let n = 0; n < rounds; n += 1) {
        if ((await resolve(aliasOf((n * 7919) % count))) === undefined) throw new Error('not found');
      }
    });
    return { value: (ms / rounds) * 1000 };
  },

  /** The listing and a stat of each history; then one read and one append. */
  async F(directory) {
    const opening = await elapsed(async () => listed(directory));
    const turn = await elapsed(async () => {
      const file = await open(join(directory, `${keyOf(77)}.jsonl`), 'a+');
      for (const each of (await file.readFile('utf8')).split('\n').slice(0, -1)) JSON.parse(each);
      await file.write(line(11));
      await file.datasync();
      await file.close();
    });
    return { value: opening + turn, open: opening };
  },

  /** The last twenty lines written anew: temporary file, sync, rename, sync of the folder. */
  async G(directory) {
    const path = join(directory, `${keyOf(1)}.jsonl`);
    const ms = await elapsed(async () => {
      const file = await open(path, 'r');
      const { size } = await file.stat();
      const block = Buffer.alloc(65_536);
      await file.read(block, 0, block.length, size - block.length);
      await file.close();
      const kept = `${block.toString().split('\n').slice(-21, -1).join('\n')}\n`;
      for (const [name, content] of [
        ['.jsonl', kept],
        ['.meta.json', JSON.stringify({ summary: 'They are alike.' })],
      ]) {
        const target = join(directory, keyOf(1) + name);
        const temporary = await open(`${target}.tmp`, 'w');
        await temporary.writeFile(content);
        await temporary.datasync();
        await temporary.close();
        await rename(`${target}.tmp`, target);
        const folder = await open(directory, 'r');
        await folder.sync();
        await folder.close();
      }
    });
    return { value: ms };
  },

  async H(directory, { seconds }) {
    const log = await journal(directory, 200);
    for (let session = 0; session < 200; session += 1) {
      for (let n = 1; n <= 20; n += 1) log.append(session, line(n));
    }
    const lag = monitorEventLoopDelay({ resolution: 5 });
    lag.enable();
    const result = await mixedLoad(seconds, {
      append: (session, n) => log.append(session, line(n)),
      tail: async (session) => log.tail(session),
    });
    lag.disable();
    await log.close();
    return { ...result, blockedMs: lag.max / 1e6 };
  },

  async I(directory, { count }) {
    const before = memory();
    for (let n = 0; n < count; n += 1) {
      const text = await readFile(join(directory, `${keyOf(n)}.jsonl`), 'utf8');
      text
        .split('\n')
        .slice(0, -1)
        .map((each) => JSON.parse(each));
    }
    const once = memory();
    return { value: once.heapMb - before.heapMb, residentMb: once.residentMb - before.residentMb };
  },
};

function listed(directory) {
  const histories = readdirSync(directory).filter((name) => name.endsWith('.jsonl'));
  return histories.map((name) => ({ name: name.slice(0, -6), at: statSync(join(directory, name)).mtimeMs }));
}

function newestOf(all) {
  return all.toSorted((left, right) => right.at - left.at).slice(0, 50);
}

async function journal(directory, sessions) {
  const log = await open(join(directory, 'journal'), 'a');
  const files = Array.from({ length: sessions }, (_, n) => openSync(join(directory, `${n}.jsonl`), 'a+'));
  let waiting = [];
  let running;

  async function run() {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await log.write(batch.map(({ text }) => text).join(''));
      await log.datasync();
      for (const { session, text, done } of batch) {
        writeSync(files[session], text);
        done();
      }
    }
    running = undefined;
  }

  return {
    append(session, text) {
      return new Promise((done) => {
        waiting.push({ session, text, done });
        running ??= Promise.resolve().then(run);
      });
    },
    tail(session) {
      const { size } = fstatSync(files[session]);
      const block = Buffer.alloc(Math.min(size, 16_384));
      readSync(files[session], block, 0, block.length, size - block.length);
      return block
        .toString()
        .split('\n')
        .slice(-21, -1)
        .slice(-20)
        .map((each) => JSON.parse(each));
    },
    async close() {
      await running;
      await log.close();
      for (const file of files) closeSync(file);
    },
  };
}
