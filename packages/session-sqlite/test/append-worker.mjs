// Appends to sessions of a shared file: node append-worker.mjs FILE NAME COUNT BATCH KEY [KEY …]
// Waits for a line on standard input, so that several begin together; tells the seqs it was given when it is done.
import { once } from 'node:events';
import { createSqliteBackend } from '@x/session-sqlite';

const [file, name, count, atOnce, ...keys] = process.argv.slice(2);
process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();

const store = await createSqliteBackend({ file, busyTimeoutMs: 60_000 });
const seqs = {};
for (const key of keys) {
  await store.ensure(key);
  seqs[key] = [];
  for (let sent = 0; sent < Number(count); sent += Number(atOnce)) {
    const calls = Array.from({ length: Number(atOnce) }, (_, index) =>
      store.append(key, [{ role: 'user', content: `${name} ${sent + index}` }]),
    );
    for (const [given] of await Promise.all(calls)) seqs[key].push(given.seq);
  }
}
await store.close();
process.stdout.write(`${JSON.stringify(seqs)}\n`);
