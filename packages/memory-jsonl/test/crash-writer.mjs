// Writes to a store under load until it is killed: node crash-writer.mjs DIRECTORY SEED
// Tells on standard output what it begins ({n, lane, key, do, …}) and what came of it ({n, done: true or false}).
import { writeSync } from 'node:fs';
import { openJsonlDriver } from '@x/memory-jsonl';
import { defineBackend } from '@x/session-store';

const [directory, seedText] = process.argv.slice(2);
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
    const content = `${key} ${count} ${'ü'.repeat(random(6) === 0 ? 20_000 : 20)}`;
    return { id: `${seedText}-${count}`, role: 'user', content };
  });
}

/** Appends mostly; of the rest as much of the dear as of the cheap. */
function choose(main, older) {
  const key = random(4) === 0 ? older : main;
  const dice = random(40);
  if (dice < 24) return { key, do: 'append', messages: messages(key, 1 + random(3)) };
  if (dice < 26) return { key, do: 'truncate', keepLast: random(4), summary: `cut ${count}` };
  if (dice < 29) return { key, do: 'compact' };
  if (dice < 31) return { key, do: 'replace', messages: messages(key, random(3)) };
  if (dice < 32) return { key, do: 'setSummary', summary: `so far ${count}` };
  if (dice < 34) return { key: main, do: 'promote', from: older };
  const rare = ['reset', 'clear', 'delete', 'restore', 'purge', 'ensure'];
  return { key, do: rare[dice - 34] };
}

function start(store, step) {
  const { key } = step;
  switch (step.do) {
    case 'append':
    case 'replace':
      return store[step.do](key, step.messages);
    case 'truncate':
      return store.truncate(key, { keepLast: step.keepLast, summary: step.summary });
    case 'setSummary':
      return store.setSummary(key, step.summary);
    case 'promote':
      return store.promote(key, [step.from]);
    default:
      return store[step.do](key);
  }
}

// So small that everything that is kept at hand is given up again and again, and the journal turns all the time.
const bounds = {
  filesKeptOpen: 4,
  sessionsLagging: 4,
  idSlotsKept: 1024,
  journalBytes: 8192,
  indexedFrom: 4,
};
const store = defineBackend(await openJsonlDriver({ directory }, undefined, bounds));
let steps = 0;

async function talk(lane) {
  const [main, older] = [`crash:${lane}`, `agent:main:direct:crash${lane}`];
  await Promise.all([store.ensure(main), store.ensure(older)]);
  for (;;) {
    const step = choose(main, older);
    const n = ++steps;
    tell({ n, lane, ...step });
    const done = await start(store, step).then(
      () => true,
      (error) => {
        if (error.code === 'SessionNotFound') return false;
        throw error;
      },
    );
    tell({ n, done });
    // What is deleted or promoted comes back, so that there is something to write to.
    if (!done) await store.ensure(step.key);
  }
}
tell({ ready: true });
await Promise.all(Array.from({ length: 8 }, (_, lane) => talk(lane)));
