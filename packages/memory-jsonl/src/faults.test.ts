import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineBackend, type ExportEntry, type SessionBackend, StoreFull } from '@x/session-store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FaultOperation, faultOperations, old, prepare } from '../test/fault-operations.js';
import { tempFolder } from '../test/folders.js';
import { type FaultKind, type Survival, simulatedDisk } from '../test/simulated-disk.js';
import { createJsonlBackend } from './index.js';
import { openJsonlDriver } from './jsonl-driver.js';

/** `FAULTS=all`: every call of every kind (`pnpm test:faults`). Otherwise every so many-th, which one differs by operation. */
const isFull = process.env.FAULTS === 'all';
const step = isFull ? 1 : 11;
const kinds: readonly FaultKind[] = ['EIO', 'ENOSPC', 'EMFILE', 'EACCES', 'short', 'crash'];

const fixed = { now: () => new Date(Date.UTC(2026, 0, 1)), newId: () => 'the-new-one' };
const bounds = { filesKeptOpen: 2, sessionsLagging: 2, idSlotsKept: 256, journalBytes: 900, indexedFrom: 1 };
let points = 0;

afterAll(() => {
  process.stdout.write(`${points} fault points tried\n`);
});

type State = ReadonlyMap<string, readonly ExportEntry[]>;

async function contentOf(store: SessionBackend): Promise<State> {
  const state = new Map<string, ExportEntry[]>();
  for await (const entry of store.export()) {
    const key = entry.type === 'session' ? entry.session.key : entry.key;
    const entries = state.get(key) ?? [];
    state.set(key, entries);
    if (entry.type === 'message') entries.push(entry);
    else {
      // Repaired metadata takes its times from the file, and a line that was cut off keeps its seq to itself.
      const {
        updatedAt: _u,
        activeAt: _a,
        interactionAt: _i,
        segmentStartedAt: _s,
        ...timeless
      } = entry.session;
      const { lastSeq: _l, revision: _r, ...rest } = timeless;
      entries.push({ type: 'session', session: rest as typeof entry.session });
    }
  }
  return state;
}

/** On a disk that is not waited for: what is asked is what is there. */
async function stateOf(directory: string): Promise<State> {
  const { disk, dispose } = simulatedDisk(directory);
  const store = defineBackend(await openJsonlDriver({ directory, now: fixed.now }, disk, bounds), fixed);
  const state = await contentOf(store);
  expect(await store.resolve(old)).toBeDefined();
  expect(await store.resolve('agent:main:direct:known')).toBe((await store.meta('s'))?.key);
  // A retry after a crash is safe, and the session takes writes.
  await store.append('s', [{ id: 'retry', role: 'user', content: 'after' }]).catch((error: unknown) => {
    expect(error).toMatchObject({ code: 'SessionNotFound' });
  });
  await store.close();
  await dispose();
  return state;
}

interface Run {
  readonly outcomes: readonly (true | Error)[];
  readonly state: State;
  readonly calls: number;
  readonly callsOf: (kind: FaultKind) => number;
  readonly before: State;
}

async function attempt(operation: FaultOperation, kind: FaultKind | undefined, nth: number): Promise<Run> {
  const directory = await tempFolder();
  cpSync(original, directory, { recursive: true });
  const simulated = simulatedDisk(directory);
  const store = defineBackend(
    await openJsonlDriver({ directory, now: fixed.now }, simulated.disk, bounds),
    fixed,
  );
  await operation.before?.(store);
  const before = await contentOf(store);
  const callsBefore = new Map(kinds.map((each) => [each, simulated.callsOf(each)]));
  simulated.arm(kind, nth);
  const outcomes = await Promise.all(
    operation.run(store).map((promise) =>
      promise.then(
        () => true as const,
        (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
      ),
    ),
  );
  const calls = simulated.calls();
  const callsAfter = new Map(kinds.map((each) => [each, simulated.callsOf(each)]));
  const callsOf = (each: FaultKind) => (callsAfter.get(each) ?? 0) - (callsBefore.get(each) ?? 0);
  simulated.disarm();
  // Half of the runs are closed as they should be, half are cut off.
  if (kind !== 'crash' && nth % 2 === 0) {
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome === true || kind === undefined) continue;
      expect(outcome, `${operation.name}, promise ${index}`).toHaveProperty('code');
      if (kind === 'ENOSPC' && !isUnknown(outcome)) expect(outcome).toBeInstanceOf(StoreFull);
    }
    if (operation.name !== 'close') expect((await store.read('asleep')).length).toBeGreaterThan(2);
    await store.close().catch(() => {});
  }
  simulated.crash();
  await store.close().catch(() => {});
  const target = await tempFolder();
  simulated.leaveBehind(target, survivalOf(nth));
  await simulated.dispose();
  return { outcomes, state: await stateOf(target), calls, callsOf, before };
}

function survivalOf(nth: number): Survival {
  let seed = nth + 1;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  return (['synced', { random }, 'all', { random }] as const)[Math.floor(nth / 2) % 4] ?? 'synced';
}

function isUnknown(error: Error): boolean {
  return /perhaps|not finished|neither finished nor undone/.test(error.message);
}

let original = '';
beforeAll(async () => {
  original = await mkdtemp(join(tmpdir(), 'memory-jsonl-'));
  const first = await createJsonlBackend({ directory: original, ...fixed });
  await prepare(first);
  await first.close();
});
afterAll(() => rm(original, { recursive: true, force: true }));

it.each(faultOperations.map((operation, index) => ({ ...operation, index })))(
  'whatever fails during "$name", it has happened or has not, as its caller was told',
  async (operation) => {
    const whole = await attempt(operation, undefined, 0);
    expect(whole.outcomes.every((outcome) => outcome === true)).toBe(true);
    const after = whole.state;

    for (const [kindIndex, kind] of kinds.entries()) {
      for (let nth = 1 + ((operation.index + kindIndex) % step); ; nth += step) {
        // A part of the points does without the look behind the last one.
        if (!isFull && nth > whole.callsOf(kind)) break;
        const { outcomes, state, calls, before } = await attempt(operation, kind, nth);
        if (calls < nth) break;
        points += 1;
        const place = `${operation.name}: ${kind} at call ${nth}`;
        const keys = new Set([...before.keys(), ...after.keys()]);
        const parts = operation.sessions?.map((key) => [key]) ?? [[...keys]];
        for (const [index, part] of parts.entries()) {
          const outcome = outcomes[index];
          const seen = part.map((key) => state.get(key));
          const done = part.map((key) => after.get(key));
          const undone = part.map((key) => before.get(key));
          if (outcome === true) expect(seen, place).toEqual(done);
          else if (kind === 'crash' || (outcome !== undefined && isUnknown(outcome)))
            expect([undone, done], place).toContainEqual(seen);
          else expect(seen, place).toEqual(undone);
        }
        for (const key of keys) {
          if (parts.some((part) => part.includes(key))) continue;
          expect(state.get(key), place).toEqual(before.get(key));
        }
      }
    }
  },
  900_000,
);
