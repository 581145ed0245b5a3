import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createMemoryBackend, type Message, type SessionBackend } from '@x/session-store';
import { expect, it } from 'vitest';
import { startChild } from '../test/child.js';
import { tempFolder } from '../test/folders.js';
import { checkSqlite, createSqliteBackend } from './index.js';

const rounds = Number(process.env.CRASH_ROUNDS ?? 8);

interface Step {
  readonly n: number;
  readonly key: string;
  readonly do: 'append' | 'replace' | 'truncate' | 'setSummary' | 'reset' | 'compact' | 'clear';
  readonly messages?: readonly Message[];
  readonly keepLast?: number;
  readonly summary?: string;
}
type Line = Step | { readonly n: number; readonly done: true } | { readonly ready: true };

/** Runs the writer for a while, kills it, and returns what it told. */
async function runAndKill(file: string, seed: number, afterMs: number): Promise<readonly Line[]> {
  const writer = startChild('crash-writer.mjs', file, seed);
  await writer.ready;
  await pause(afterMs);
  writer.process.kill('SIGKILL');
  const whole = (await writer.told).split('\n').slice(0, -1);
  return whole.map((line) => JSON.parse(line) as Line);
}

function take(store: SessionBackend, step: Step): Promise<unknown> {
  const { key, messages = [], keepLast = 0, summary = '' } = step;
  if (step.do === 'append' || step.do === 'replace') return store[step.do](key, messages);
  if (step.do === 'truncate') return store.truncate(key, { keepLast, summary });
  if (step.do === 'setSummary') return store.setSummary(key, summary);
  return store[step.do](key);
}

async function stateOf(store: SessionBackend, key: string) {
  const meta = await store.meta(key);
  const brief = (messages: readonly Message[]) => messages.map(({ id, content }) => [id, content]);
  return {
    summary: meta?.summary ?? '',
    counts: [meta?.messageCount ?? 0, meta?.activeCount ?? 0],
    all: brief(await store.read(key, { segment: 'all' })),
    active: brief(await store.read(key)),
  };
}

it(`keeps what was acknowledged, and nothing by halves, when the process is killed (${rounds} rounds)`, async () => {
  const file = join(await tempFolder(), 'killed.db');
  for (let round = 1; round <= rounds; round += 1) {
    const model = createMemoryBackend();
    const before = await createSqliteBackend({ file });
    await model.import(before.export());
    await before.close();

    const lines = await runAndKill(file, round, (round * 61) % 300);
    const done = new Set(lines.flatMap((line) => ('done' in line ? [line.n] : [])));
    const steps = lines.filter((line): line is Step => 'do' in line);
    const store = await createSqliteBackend({ file });
    for (const key of new Set(steps.map((step) => step.key))) {
      await model.ensure(key);
      const mine = steps.filter((step) => step.key === key);
      for (const step of mine.filter(({ n }) => done.has(n))) await take(model, step);
      const possible = [await stateOf(model, key)];
      const last = mine.at(-1);
      if (last !== undefined && !done.has(last.n)) {
        await take(model, last);
        possible.push(await stateOf(model, key));
      }
      expect(possible).toContainEqual(await stateOf(store, key));
    }
    await store.close();
    expect(await checkSqlite(file)).toEqual([]);
  }
}, 3_600_000);
