// node --expose-gc bench/scale.mjs [SESSIONS …]: a folder of few sessions beside one of many. Default 100 and 100,000.
import { execFileSync, spawnSync } from 'node:child_process';
import { createJsonlBackend } from '@x/memory-jsonl';
import { aliasOf, keyOf, manySessions, message, removeFolder } from './folders.mjs';
import { elapsed, memory } from './measure.mjs';

const [mode, ...rest] = process.argv.slice(2);
if (mode === 'kill') {
  const store = await createJsonlBackend({ directory: rest[0] });
  for (let n = 0; n < 20; n += 1) await store.append(keyOf(n), [message(5000 + n)]);
  process.kill(process.pid, 'SIGKILL');
} else if (mode === 'open') {
  const open = await elapsed(async () => createJsonlBackend({ directory: rest[0] }));
  console.log(JSON.stringify({ open }));
  // Left as a kill leaves it, so that the next run meets the same.
  process.kill(process.pid, 'SIGKILL');
} else if (mode === 'measure') {
  const [directory = '', sessions = '0'] = rest;
  console.log(JSON.stringify(await measured(directory, Number(sessions))));
} else {
  const counts = (mode === undefined ? ['100', '100000'] : [mode, ...rest]).map(Number);
  console.log(
    '| sessions | open | open after a kill | newest 50, first | newest 50, warm | resolve an alias | append | open heap | resident |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const count of counts) {
    const folder = await manySessions(count, 1);
    const runs = [1, 2, 3].map(() => {
      const script = [import.meta.filename, 'measure', folder, String(count)];
      return JSON.parse(execFileSync(process.execPath, ['--expose-gc', ...script], { encoding: 'utf8' }));
    });
    spawnSync(process.execPath, [import.meta.filename, 'kill', folder]);
    const killed = [1, 2, 3].map(() => {
      const { stdout } = spawnSync(process.execPath, [import.meta.filename, 'open', folder], {
        encoding: 'utf8',
      });
      return JSON.parse(stdout).open;
    });
    removeFolder(folder);
    const of = (name) => runs.map((run) => run[name]).toSorted((left, right) => left - right)[1];
    const ms = (name) => `${of(name).toPrecision(3)} ms`;
    console.log(
      `| ${count.toLocaleString('en')} | ${ms('open')} | ${killed.toSorted((left, right) => left - right)[1].toPrecision(3)} ms | ${ms('first')} | ${ms('warm')} | ${ms('resolve')} | ${ms('append')} | ${of('heapMb').toFixed(0)} MB | ${of('residentMb').toFixed(0)} MB |`,
    );
  }
}

async function measured(directory, count) {
  const before = memory();
  let store;
  const open = await elapsed(async () => {
    store = await createJsonlBackend({ directory });
  });
  const first = await elapsed(() => store.list({ limit: 50 }));
  const warm = await elapsed(async () => {
    for (let n = 0; n < 100; n += 1) await store.list({ limit: 50 });
  });
  const resolve = await elapsed(async () => {
    for (let n = 0; n < 1000; n += 1) await store.resolve(aliasOf((n * 7919) % count));
  });
  const append = await elapsed(async () => {
    for (let n = 0; n < 200; n += 1) await store.append(keyOf((n * 31) % count), [message(1000 + n)]);
  });
  const after = memory();
  await store.close();
  return {
    open,
    first,
    warm: warm / 100,
    resolve: resolve / 1000,
    append: append / 200,
    heapMb: after.heapMb - before.heapMb,
    residentMb: after.residentMb,
  };
}
