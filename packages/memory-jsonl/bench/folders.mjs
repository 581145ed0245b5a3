import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJsonlBackend } from '@x/memory-jsonl';

/** Where all folders of a run lie: a real disk, not a file system in memory. */
export function newFolder() {
  return mkdtempSync(join(process.env.BENCH_FOLDER ?? tmpdir(), 'memory-jsonl-bench-'));
}

export function removeFolder(folder) {
  rmSync(folder, { recursive: true, force: true });
}

const text = 'All happy families are alike; each unhappy family is unhappy in its own way. '
  .repeat(7)
  .slice(0, 500);

/** A message of 500 bytes of text, with an id as the runtime gives one. */
export function message(n) {
  return {
    id: `019aa000-0000-7000-8000-${String(n).padStart(12, '0')}`,
    role: n % 2 === 1 ? 'user' : 'assistant',
    content: text,
  };
}

/** One message as the store writes it. */
export function line(n) {
  const { id, role, content } = message(n);
  return `${JSON.stringify({ seq: n, id, created_at: '2026-01-01T00:00:00.000Z', role, content })}\n`;
}

export function keyOf(n) {
  return `sk_v1_${String(n).padStart(64, '0')}`;
}

export function aliasOf(n) {
  return `agent:main:telegram:direct:${n}`;
}

/** A folder with one session of so many messages. */
export async function longSession(count) {
  const folder = newFolder();
  const path = join(folder, `${keyOf(1)}.jsonl`);
  for (let n = 1; n <= count; n += 1000) {
    appendFileSync(
      path,
      Array.from({ length: Math.min(1000, count - n + 1) }, (_, at) => line(n + at)).join(''),
    );
  }
  await opened(folder, async (store) =>
    store.append(keyOf(1), []).then(() => store.rename(keyOf(1), 'long')),
  );
  return folder;
}

/** A folder with so many sessions of a few messages each, as the store leaves it when it is closed. */
export async function manySessions(count, messages = 10) {
  const folder = newFolder();
  const few = Array.from({ length: messages }, (_, at) => message(at + 1));
  await opened(folder, async (store) => {
    await store.ensure(keyOf(0), { aliases: [aliasOf(0)] });
    await store.append(keyOf(0), few);
  });
  // The store would sync each of them: the others are copies of the first under their own names.
  const meta = readFileSync(join(folder, `${keyOf(0)}.meta.json`), 'utf8');
  const history = readFileSync(join(folder, `${keyOf(0)}.jsonl`));
  for (let n = 1; n < count; n += 1) {
    const at = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
    const own = meta
      .replaceAll(keyOf(0), keyOf(n))
      .replaceAll(JSON.stringify(aliasOf(0)), JSON.stringify(aliasOf(n)))
      .replace(/"active_at": "[^"]*"/, `"active_at": "${at}"`);
    writeFileSync(join(folder, `${keyOf(n)}.meta.json`), own);
    writeFileSync(join(folder, `${keyOf(n)}.jsonl`), history);
  }
  await opened(folder, async (store) => store.rename(keyOf(0), 'first'));
  return folder;
}

export async function opened(directory, use) {
  const store = await createJsonlBackend({ directory });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
