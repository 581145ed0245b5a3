import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createJsonlBackend } from '@x/memory-jsonl';
import { aliasOf, keyOf, message } from './folders.mjs';
import { elapsed, memory, mixedLoad } from './measure.mjs';

/** What our store does in each workload. Each runs in a process of its own. */
export const ours = {
  async A(directory, { count }) {
    const store = await withSessions(directory, 1);
    const ms = await elapsed(async () => {
      for (let n = 1; n <= count; n += 1) await store.append(keyOf(0), [message(n)]);
    });
    await store.close();
    return { value: (count / ms) * 1000 };
  },

  async A2(directory, { count }) {
    const store = await withSessions(directory, 64);
    const ms = await elapsed(() =>
      Promise.all(
        Array.from({ length: 64 }, async (_, session) => {
          for (let n = 1; n <= count / 64; n += 1) await store.append(keyOf(session), [message(n)]);
        }),
      ),
    );
    await store.close();
    return { value: (count / ms) * 1000 };
  },

  async B(directory, { count }) {
    let found = [];
    const ms = await elapsed(async () => {
      const store = await createJsonlBackend({ directory });
      found = await store.read(keyOf(1));
      await store.close();
    });
    if (found.length !== count) throw new Error(`${found.length} messages`);
    return { value: ms };
  },

  async C(directory) {
    const store = await createJsonlBackend({ directory });
    let found = [];
    const ms = await elapsed(async () => {
      found = await store.read(keyOf(1), { order: 'desc', limit: 50 });
    });
    await store.close();
    if (found.length !== 50) throw new Error(`${found.length} messages`);
    return { value: ms };
  },

  async D(directory) {
    let store;
    const ms = await elapsed(async () => {
      store = await createJsonlBackend({ directory });
      await store.list({ limit: 50 });
    });
    const warm = await elapsed(async () => {
      for (let n = 0; n < 50; n += 1) await store.list({ limit: 50 });
    });
    await store.close();
    return { value: ms, warm: warm / 50 };
  },

  async E(directory, { count }) {
    const store = await createJsonlBackend({ directory });
    const rounds = 20_000;
    const ms = await elapsed(async () => {
      for (let n = 0; n < rounds; n += 1) {
        if ((await store.resolve(aliasOf((n * 7919) % count))) === undefined) throw new Error('not found');
      }
    });
    await store.close();
    return { value: (ms / rounds) * 1000 };
  },

  async F(directory) {
    let store;
    const open = await elapsed(async () => {
      store = await createJsonlBackend({ directory });
    });
    const turn = await elapsed(async () => {
      await store.read(keyOf(77), { order: 'desc', limit: 50 });
      await store.append(keyOf(77), [message(Date.now())]);
    });
    await store.close();
    return { value: open + turn, open };
  },

  async G(directory) {
    const store = await createJsonlBackend({ directory });
    const logical = await elapsed(() =>
      store.truncate(keyOf(1), { keepLast: 20, summary: 'They are alike.' }),
    );
    const compacted = await elapsed(() => store.compact(keyOf(1)));
    await store.close();
    return { value: logical + compacted, logical };
  },

  async H(directory, { seconds }) {
    const store = await withSessions(directory, 200);
    const lag = monitorEventLoopDelay({ resolution: 5 });
    lag.enable();
    const result = await mixedLoad(seconds, {
      append: (session, n) => store.append(keyOf(session), [message(n)]),
      tail: (session) => store.read(keyOf(session), { order: 'desc', limit: 20 }),
    });
    lag.disable();
    await store.close();
    return { ...result, blockedMs: lag.max / 1e6 };
  },

  async I(directory, { count }) {
    const store = await createJsonlBackend({ directory });
    await store.list({ limit: 50 });
    const before = memory();
    const readAll = async () => {
      for (let n = 0; n < count; n += 1) await store.read(keyOf(n));
    };
    await readAll();
    const once = memory();
    await readAll();
    const twice = memory();
    await store.close();
    return {
      value: once.heapMb - before.heapMb,
      residentMb: once.residentMb - before.residentMb,
      secondPassMb: twice.heapMb - once.heapMb,
      openFiles: twice.openFiles,
    };
  },
};

async function withSessions(directory, count) {
  const store = await createJsonlBackend({ directory });
  for (let n = 0; n < count; n += 1) {
    await store.ensure(keyOf(n));
    await store.append(keyOf(n), [message(0)]);
  }
  return store;
}
