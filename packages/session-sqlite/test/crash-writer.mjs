// Writes to a store under load until it is killed: node crash-writer.mjs FILE SEED
// Tells on standard output what it begins ({n, key, do, …}) and what is acknowledged ({n, done: true}).
import { writeSync } from 'node:fs';
import { createSqliteBackend } from '@x/session-sqlite';

const [file, seedText] = process.argv.slice(2);
let seed = Number(seedText);
let count = 0;

function random(below) {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
}

function tell(line) {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

function messages(key, howMany) {
  return Array.from({ length: howMany }, () => {
    count += 1;
    const content = `${key} ${count} ${'ü'.repeat(random(3) === 0 ? 20_000 : 20)}`;
    return { id: `${seedText}-${count}`, role: 'user', content };
  });
}

function choose(key) {
  const dice = random(20);
  if (dice < 12) return { do: 'append', messages: messages(key, 1 + random(3)) };
  if (dice < 14) return { do: 'truncate', keepLast: random(4), summary: `cut ${count}` };
  if (dice < 15) return { do: 'reset' };
  if (dice < 17) return { do: 'compact' };
  if (dice < 18) return { do: 'clear' };
  if (dice < 19) return { do: 'replace', messages: messages(key, random(3)) };
  return { do: 'setSummary', summary: `so far ${count}` };
}

function start(store, key, step) {
  switch (step.do) {
    case 'append':
    case 'replace':
      return store[step.do](key, step.messages);
    case 'truncate':
      return store.truncate(key, { keepLast: step.keepLast, summary: step.summary });
    case 'setSummary':
      return store.setSummary(key, step.summary);
    default:
      return store[step.do](key);
  }
}

const store = await createSqliteBackend({ file });
let steps = 0;
async function talk(key) {
  await store.ensure(key);
  for (;;) {
    const step = choose(key);
    const n = ++steps;
    tell({ n, key, ...step });
    await start(store, key, step);
    tell({ n, done: true });
  }
}
tell({ ready: true });
await Promise.all(Array.from({ length: 6 }, (_, index) => talk(`crash:${index}`)));
