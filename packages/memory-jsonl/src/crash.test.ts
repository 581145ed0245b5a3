import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createMemoryBackend, defineBackend, type Message, type SessionBackend } from '@x/session-store';
import { expect, it } from 'vitest';
import { tempFolder } from '../test/folders.js';
import { nodeDisk } from './disk.js';
import { createJsonlBackend } from './index.js';
import { openJsonlDriver } from './jsonl-driver.js';

const writer = join(import.meta.dirname, '../test/crash-writer.mjs');
/** `pnpm test:crash` sets 300. */
const rounds = Number(process.env.CRASH_ROUNDS ?? 8);

const bounds = {
  filesKeptOpen: 4,
  sessionsLagging: 4,
  idSlotsKept: 1024,
  journalBytes: 8192,
  indexedFrom: 4,
};

interface Step {
  readonly n: number;
  readonly lane: number;
  readonly key: string;
  readonly do:
    | 'append'
    | 'replace'
    | 'truncate'
    | 'setSummary'
    | 'promote'
    | 'reset'
    | 'compact'
    | 'clear'
    | 'delete'
    | 'restore'
    | 'purge'
    | 'ensure';
  readonly messages?: readonly Message[];
  readonly keepLast?: number;
  readonly summary?: string;
  readonly from?: string;
}
type Line = Step | { readonly n: number; readonly done: boolean } | { readonly ready: true };

/** Runs the writer until it has told so many lines, kills it a moment later, and returns what it told. */
function runAndKill(directory: string, seed: number, afterLines: number): Promise<readonly Line[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [writer, directory, String(seed)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let told = '';
    let isDue = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      told += text;
      if (isDue || told.split('\n').length <= afterLines) return;
      isDue = true;
      setTimeout(() => child.kill('SIGKILL'), seed % 8);
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code !== null) reject(new Error(`The writer ended by itself with code ${code}.`));
      else
        resolve(
          told
            .split('\n')
            .slice(0, -1)
            .map((line) => JSON.parse(line) as Line),
        );
    });
  });
}

async function take(store: SessionBackend, step: Step): Promise<void> {
  const { key, messages = [], keepLast = 0, summary = '', from = '' } = step;
  if (step.do === 'append' || step.do === 'replace') await store[step.do](key, messages);
  else if (step.do === 'truncate') await store.truncate(key, { keepLast, summary });
  else if (step.do === 'setSummary') await store.setSummary(key, summary);
  else if (step.do === 'promote') await store.promote(key, [from]);
  else await store[step.do](key);
}

const keysOf = (lane: number) => [`crash:${lane}`, `agent:main:direct:crash${lane}`];

async function stateOf(store: SessionBackend, lane: number) {
  const brief = (messages: readonly Message[]) => messages.map(({ id, content }) => [id, content]);
  const states: unknown[] = [];
  for (const key of keysOf(lane)) {
    const meta = await store.meta(key);
    states.push({
      isThere: meta !== undefined,
      bin: meta?.bin?.count ?? 0,
      summary: meta?.summary ?? '',
      counts: [meta?.messageCount ?? 0, meta?.activeCount ?? 0],
      all: brief(await store.read(key, { segment: 'all' })),
      active: brief(await store.read(key)),
      leadsTo: await store.resolve(key),
    });
  }
  return states;
}

it(`keeps what was acknowledged, and nothing by halves, when the process is killed (${rounds} rounds)`, async () => {
  const directory = await tempFolder();
  let acknowledged = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const model = createMemoryBackend();
    const before = await createJsonlBackend({ directory, readOnly: true });
    await model.import(before.export());
    await before.close();

    const lines = await runAndKill(directory, round, 1 + ((round * 37) % 150));
    const outcomes = new Map(lines.flatMap((line) => ('done' in line ? [[line.n, line.done] as const] : [])));
    acknowledged += [...outcomes.values()].filter(Boolean).length;
    const steps = lines.filter((line): line is Step => 'do' in line);
    // As small as the writer has it: what is closed here leaves an index to the next round.
    const store = defineBackend(await openJsonlDriver({ directory }, nodeDisk, bounds));
    for (const lane of new Set(steps.map((step) => step.lane))) {
      for (const key of keysOf(lane)) await model.ensure(key);
      const mine = steps.filter((step) => step.lane === lane);
      const possible: unknown[] = [];
      for (const step of mine) {
        const outcome = outcomes.get(step.n);
        if (outcome === undefined) possible.push(await stateOf(model, lane));
        const taken = await take(model, step).then(
          () => true,
          () => false,
        );
        if (outcome !== undefined) expect(taken, `${step.do} of ${step.key}`).toBe(outcome);
        if (outcome === undefined && !taken) continue;
        if (outcome === false) {
          // The writer ensures the session behind it, and may have been killed before or after that.
          if (step === mine.at(-1)) possible.push(await stateOf(model, lane));
          await model.ensure(step.key);
        }
      }
      possible.push(await stateOf(model, lane));
      expect(possible).toContainEqual(await stateOf(store, lane));
    }
    await store.close();
  }
  // Otherwise the kills came before there was anything to lose.
  expect(acknowledged).toBeGreaterThan(rounds);
  process.stdout.write(`${rounds} kills, ${acknowledged} acknowledgements\n`);
}, 1_800_000);
