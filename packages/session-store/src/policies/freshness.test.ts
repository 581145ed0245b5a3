import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { createMemoryBackend, newMeta, type SessionMeta } from '../index.js';
import { dailyBoundary } from './daily-boundary.js';
import { type ResetRule, staleReason } from './freshness.js';

interface ResetCase {
  readonly name: string;
  readonly tz: string;
  readonly mode: 'none' | 'daily' | 'idle';
  readonly atHour: number;
  readonly idleMinutes: number | null;
  readonly sessionStartedAt: string;
  readonly lastInteractionAt: string;
  readonly now: string;
  readonly expect: { readonly boundary: string | null; readonly reset: boolean; readonly why: string | null };
}
const file = new URL('../../test/vectors/reset-cases.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: readonly ResetCase[] };

function conversation(times: Partial<SessionMeta>): SessionMeta {
  const at = times.createdAt ?? times.segmentStartedAt ?? '2020-01-01T00:00:00.000Z';
  return { ...newMeta('chat', {}, at), messageCount: 2, activeCount: 2, lastSeq: 2, ...times };
}

const berlin = { timeZone: 'Europe/Berlin', activity: 'person' } as const;
const daily: ResetRule = { ...berlin, dailyAtHour: 4 };
const idle: ResetRule = { ...berlin, idleMinutes: 60 };
const judge = (rule: ResetRule, now: string, times: Partial<SessionMeta>) =>
  staleReason(conversation(times), rule, new Date(now));

test.each(cases)(
  '$name',
  ({ tz, mode, atHour, idleMinutes, sessionStartedAt, lastInteractionAt, now, ...told }) => {
    const rule: ResetRule = {
      timeZone: tz,
      activity: 'person',
      ...(mode === 'daily' && { dailyAtHour: atHour }),
      ...(mode !== 'none' && idleMinutes !== null && idleMinutes > 0 && { idleMinutes }),
    };
    const session = conversation({ segmentStartedAt: sessionStartedAt, interactionAt: lastInteractionAt });
    const { boundary, reset, why } = told.expect;
    expect(staleReason(session, rule, new Date(now))).toBe(reset ? why : undefined);
    if (boundary !== null) expect(dailyBoundary(new Date(now), atHour, tz).toISOString()).toBe(boundary);
  },
);

describe('a conversation is stale', () => {
  it('by the day or by idleness, whichever comes first', () => {
    const both: ResetRule = { ...daily, idleMinutes: 60 };
    const times = { segmentStartedAt: '2026-06-01T20:00:00Z', interactionAt: '2026-06-02T01:30:00Z' };
    expect(judge(both, '2026-06-02T01:59:59Z', times)).toBeUndefined();
    expect(judge(both, '2026-06-02T02:00:00Z', times)).toBe('daily');
    expect(judge({ ...both, dailyAtHour: 5 }, '2026-06-02T02:30:01Z', times)).toBe('idle');
  });

  it('never without a limit', () => {
    expect(
      judge(berlin, '2036-01-01T00:00:00Z', { segmentStartedAt: '2026-01-01T00:00:00Z' }),
    ).toBeUndefined();
  });

  it('once: what was closed and has not begun again is not closed again', () => {
    const closed = { lastSeq: 2, endedAt: '2026-06-02T07:00:00Z' };
    const times = { interactionAt: '2026-06-01T07:00:00Z', segments: [closed] };
    expect(judge({ ...daily, idleMinutes: 1 }, '2026-06-02T07:00:00Z', { ...times, activeCount: 0 })).toBe(
      undefined,
    );
    // Messages that went over into the new segment do not make it old.
    const carried = { ...times, segmentStartedAt: '2026-06-02T07:00:00Z' };
    expect(judge({ ...daily, idleMinutes: 1 }, '2026-06-02T07:00:30Z', carried)).toBeUndefined();
    expect(judge({ ...daily, idleMinutes: 1 }, '2026-06-02T07:00:30Z', { ...times, summary: 'Plans.' })).toBe(
      undefined,
    );
  });

  it('by the words of a person, unless any message counts', () => {
    const times = { interactionAt: '2026-06-01T09:00:00Z', activeAt: '2026-06-01T12:00:00Z' };
    expect(judge(idle, '2026-06-01T12:10:00Z', times)).toBe('idle');
    expect(judge({ ...idle, activity: 'any' }, '2026-06-01T12:10:00Z', times)).toBeUndefined();
  });

  it('by its start where no person has spoken yet', () => {
    const times = { segmentStartedAt: '2026-06-01T09:00:00Z' };
    expect(judge(idle, '2026-06-01T09:30:00Z', times)).toBeUndefined();
    expect(judge(idle, '2026-06-01T10:00:01Z', times)).toBe('idle');
  });
});

describe('a clock', () => {
  it('that goes back makes nothing stale', () => {
    const times = { segmentStartedAt: '2026-06-02T10:00:00Z', interactionAt: '2026-06-02T10:30:00Z' };
    expect(judge({ ...daily, idleMinutes: 15 }, '2026-06-02T09:30:00Z', times)).toBeUndefined();
  });

  it('that was ahead keeps nothing fresh for ever', () => {
    const ahead = '2036-06-02T10:00:00Z';
    const times = { segmentStartedAt: '2026-06-01T10:00:00Z', interactionAt: ahead };
    expect(judge(daily, '2026-06-02T10:00:00Z', times)).toBe('daily');
    const begun = { segmentStartedAt: ahead, interactionAt: '2026-06-01T10:00:00Z' };
    expect(judge(daily, '2026-06-02T10:00:00Z', begun)).toBe('daily');
    expect(judge(idle, '2026-06-02T10:00:00Z', begun)).toBe('idle');
  });

  it('that wrote nonsense is not believed', () => {
    const times = { segmentStartedAt: 'yesterday', interactionAt: '', createdAt: '2026-06-01T10:00:00Z' };
    expect(judge(daily, '2026-06-01T11:00:00Z', times)).toBeUndefined();
    expect(judge(daily, '2026-06-02T10:00:00Z', times)).toBe('daily');
  });
});

it('is judged of a real session as of any other, and its start stays where it was under any change', async () => {
  let now = new Date('2026-06-01T10:00:00Z');
  const backend = createMemoryBackend({ now: () => now });
  const judgeNow = async () => {
    const session = await backend.meta('chat');
    return session && staleReason(session, { ...daily, idleMinutes: 600 }, now);
  };
  await backend.ensure('chat');
  expect(await judgeNow()).toBeUndefined();
  await backend.append('chat', [{ role: 'user', content: 'Good morning.' }]);
  for (let change = 0; change < 50; change += 1) {
    now = new Date(now.getTime() + 60_000);
    await backend.ensure('chat', { attributes: { change } });
    if (change % 5 === 0) await backend.append('chat', [{ role: 'user', content: `${change}` }]);
  }
  expect((await backend.meta('chat'))?.segmentStartedAt).toBe('2026-06-01T10:00:00.000Z');
  // A job speaks at night: it neither puts the reset off nor brings it on.
  now = new Date('2026-06-02T01:00:00Z');
  await backend.append('chat', [{ role: 'user', content: 'Tick.', meta: { origin: 'schedule' } }]);
  expect(await judgeNow()).toBe('idle');
  await backend.reset('chat', { reason: 'idle', keepLast: 1 });
  expect(await judgeNow()).toBeUndefined();
});
