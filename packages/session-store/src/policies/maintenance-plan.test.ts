import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newMeta, type SessionMeta } from '../index.js';
import { isPinned, type MaintenanceLimits, planMaintenance } from './maintenance-plan.js';

const now = new Date('2026-06-30T00:00:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ago = (days: number) => new Date(now.getTime() - days * DAY).toISOString();
const session = (key: string, daysOld: number, more: Partial<SessionMeta> = {}): SessionMeta => ({
  ...newMeta(key, {}, ago(daysOld)),
  ...more,
});
const plan = (
  sessions: readonly SessionMeta[],
  limits: MaintenanceLimits,
  running: readonly string[] = [],
) => {
  const { steps, spared, before, after } = planMaintenance(sessions, limits, {
    now,
    running: (key) => running.includes(key),
    usedBytes: 1000,
    bytesOf: () => 100,
  });
  return {
    steps: steps.map(({ action, reason, session: { key } }) => `${action} ${key}: ${reason}`),
    spared: spared.map(({ reason, session: { key } }) => `${key}: ${reason}`),
    count: [before, after],
  };
};

describe('what is kept', () => {
  it('is everything, where nothing is limited', () => {
    expect(plan([session('a', 999), session('b', 9, { deletedAt: ago(9) })], {}).steps).toEqual([]);
  });

  it('is what was spoken in lately, however few there are', () => {
    const sessions = [session('a', 31), session('b', 29), session('c', 30)];
    const limits = { pruneAfterMs: 30 * DAY, maxSessions: 500 };
    expect(plan(sessions, limits).steps).toEqual(['delete a: age']);
  });

  it('is the newest up to the count, and what a machine opened goes before it', () => {
    const jobs = [session('agent:main:cron:1', 1), session('agent:main:subagent:2', 0), session('hook:3', 2)];
    const people = [session('old', 20), session('new', 0), session('mid', 10)];
    expect(plan([...people, ...jobs], { maxSessions: 2 }).steps).toEqual([
      'delete hook:3: count',
      'delete agent:main:cron:1: count',
      'delete agent:main:subagent:2: count',
      'delete old: count',
    ]);
  });

  it('is what is pinned, put away or at work, though it counts', () => {
    const sessions = [
      session('pinned', 90, { attributes: { pinned: true } }),
      session('away', 90, { archivedAt: ago(80) }),
      session('working', 90),
      session('idle', 1),
    ];
    expect(plan(sessions, { pruneAfterMs: 30 * DAY, maxSessions: 3 }, ['working'])).toEqual({
      steps: ['delete idle: count'],
      spared: ['away: archived', 'pinned: pinned', 'working: running'],
      count: [4, 3],
    });
  });
});

describe('the bin', () => {
  const bin = (daysAgo: number) => ({
    throughSeq: 2,
    count: 2,
    deletedAt: ago(daysAgo),
    segments: [],
    attributes: {},
  });

  it('is emptied of what lay in it for the retention, in whole or in part', () => {
    const sessions = [
      session('gone', 60, { deletedAt: ago(31) }),
      session('lately', 60, { deletedAt: ago(3) }),
      session('spoken-to-again', 0, { bin: bin(40) }),
    ];
    expect(plan(sessions, { purgeAfterMs: 30 * DAY })).toMatchObject({
      steps: ['purge spoken-to-again: retention', 'purge gone: retention'],
      count: [1, 1],
    });
  });

  it('is not emptied of a session that goes into it now: that would be the end of the whole', () => {
    const both = session('both', 60, { bin: bin(40) });
    expect(plan([both], { purgeAfterMs: 30 * DAY, pruneAfterMs: 30 * DAY }).steps).toEqual([
      'delete both: age',
    ]);
    const disk = { maxBytes: 10, highWaterBytes: 0 };
    expect(plan([both], { pruneAfterMs: 30 * DAY, disk }).steps).toEqual(['delete both: age']);
    expect(plan([both], { disk }).steps).toEqual(['purge both: disk']);
  });

  it('gives room first where the disk is full, but not what came into it within a day', () => {
    const sessions = [
      session('a', 9, { deletedAt: ago(5) }),
      session('b', 9, { deletedAt: ago(0.5) }),
      session('c', 8),
      session('d', 7),
    ];
    const disk = { maxBytes: 900, highWaterBytes: 700 };
    expect(plan(sessions, { disk }).steps).toEqual(['purge a: disk', 'delete c: disk']);
    // What lies in the bin already, and will give its room, is enough.
    expect(plan(sessions, { disk: { maxBytes: 900, highWaterBytes: 800 } }).steps).toEqual(['purge a: disk']);
    expect(plan(sessions, { disk: { maxBytes: 1000, highWaterBytes: 800 } }).steps).toEqual([]);
  });
});

it('of a time that cannot be read nothing is destroyed', () => {
  const broken = [session('a', 0, { activeAt: 'once' }), session('b', 0, { deletedAt: 'never' })];
  expect(plan(broken, { pruneAfterMs: 1, purgeAfterMs: 1 }).steps).toEqual([]);
});

const anySession = fc
  .record({
    key: fc.uuid(),
    daysOld: fc.integer({ min: 0, max: 90 }),
    fate: fc.constantFrom('plain', 'plain', 'pinned', 'archived', 'running', 'deleted'),
  })
  .map(({ key, daysOld, fate }) =>
    session(`${fate}-${key}`, daysOld, {
      ...(fate === 'pinned' && { attributes: { pinned: true } }),
      ...(fate === 'archived' && { archivedAt: ago(1) }),
      ...(fate === 'deleted' && { deletedAt: ago(daysOld / 2) }),
    }),
  );

it('keeps to its limits, touches what it may, and has nothing to do the second time', () => {
  fc.assert(
    fc.property(
      fc.array(anySession, { maxLength: 60 }),
      fc.integer({ min: 0, max: 40 }),
      (sessions, maxSessions) => {
        const disk = { maxBytes: 3000, highWaterBytes: 2000 };
        const limits = { pruneAfterMs: 30 * DAY, purgeAfterMs: 20 * DAY, maxSessions, disk };
        const factsOf = (stored: readonly SessionMeta[]) => ({
          now,
          running: (key: string) => key.startsWith('running'),
          // What lies in the bin takes its room until it is purged.
          usedBytes: stored.length * 100,
          bytesOf: () => 100,
        });
        const facts = factsOf(sessions);
        const { steps, after } = planMaintenance(sessions, limits, facts);
        const deleted = new Set(
          steps.filter(({ action }) => action === 'delete').map((step) => step.session.key),
        );
        const purged = new Set(
          steps.filter(({ action }) => action === 'purge').map((step) => step.session.key),
        );
        for (const key of deleted) expect(key).toMatch(/^plain/);
        for (const key of purged) expect(key).toMatch(/^deleted/);
        const untouchable = sessions.filter(
          (each) => isPinned(each) || each.archivedAt !== undefined || facts.running(each.key),
        );
        expect(after).toBeLessThanOrEqual(Math.max(maxSessions, untouchable.length));
        const left = sessions
          .filter(({ key }) => !purged.has(key))
          .map((each) => (deleted.has(each.key) ? { ...each, deletedAt: now.toISOString() } : each));
        expect(planMaintenance(left, limits, factsOf(left)).steps).toEqual([]);
      },
    ),
  );
});
