import { describe, expect, test } from 'vitest';
import type { Message } from '../api/shapes.js';
import type { Outgoing } from './outbox.js';
import { pendingRows, type Row, storedRows } from './rows.js';
import type { Timeline } from './timeline.js';

function message(seq: number, more: Partial<Message> = {}): Message {
  return {
    seq,
    id: `m${seq}`,
    role: 'user',
    content: `text ${seq}`,
    created_at: `2026-01-0${seq}T12:00:00.000Z`,
    ...more,
  };
}

const timelineOf = (messages: Message[], firstActiveSeq = 1, hasOlder = false): Timeline => ({
  messages,
  hasOlder,
  firstActiveSeq,
});
const call = { id: 'c1', name: 'clock', arguments: '{}' };
const keysOf = (rows: readonly Row[]) => rows.map(({ key }) => key);

describe('stored rows', () => {
  test('show a result with its call, and alone only where the call is not loaded', () => {
    const calls = message(2, { role: 'assistant', tool_calls: [call] });
    const result = message(3, { role: 'tool', tool_call_id: 'c1' });
    const rows = storedRows(timelineOf([message(1), calls, result]), []);
    expect(keysOf(rows)).toEqual(['m1', 'm2']);
    expect(rows[1]?.kind === 'message' && rows[1].results.get('c1')).toBe(result);
    expect(keysOf(storedRows(timelineOf([result]), []))).toEqual(['m3']);
  });

  test('begin a day with its first message, but not where older ones are still to come', () => {
    const days = (hasOlder: boolean) =>
      storedRows(timelineOf([message(1), message(2)], 1, hasOlder), []).map(
        (row) => row.kind === 'message' && row.startsDay,
      );
    expect(days(false)).toEqual([true, true]);
    expect(days(true)).toEqual([false, true]);
  });

  test('mark where a segment begins: after each that ended, and at the cutoff', () => {
    const rows = storedRows(timelineOf([message(1), message(3), message(4), message(5)], 5), [2]);
    expect(rows.flatMap((row) => (row.kind === 'message' && row.startsSegment ? row.key : []))).toEqual([
      'm3',
      'm5',
    ]);
  });
});

describe('pending rows', () => {
  const outgoing: Outgoing = {
    id: 'o1',
    target: 'k',
    text: 'hello',
    createdAt: '2026-01-01T00:00:00.000Z',
    state: 'sending',
  };
  const idle = { outgoing: [], turn: 'idle' as const, live: undefined, failure: undefined };

  test('show a message on its way until it is stored', () => {
    const waiting = { ...idle, outgoing: [outgoing] };
    expect(keysOf(pendingRows({ ...waiting, timeline: timelineOf([message(1)]) }))).toEqual(['o1']);
    expect(pendingRows({ ...waiting, timeline: timelineOf([message(1, { id: 'o1' })]) })).toEqual([]);
  });

  test('show that an answer is being written, also where none of its words were heard', () => {
    const timeline = timelineOf([message(1)]);
    expect(pendingRows({ ...idle, timeline, turn: 'running' })[0]?.kind).toBe('live');
    const live = { turnId: 't', text: 'x', fromStart: true };
    expect(pendingRows({ ...idle, timeline, live })[0]).toEqual({ kind: 'live', key: 'live:1', turn: live });
  });

  test('say that a turn was cut off, unless its last message says so itself', () => {
    const cut = (last: Partial<Message>) =>
      pendingRows({ ...idle, turn: 'interrupted', timeline: timelineOf([message(1, last)]) });
    expect(cut({})[0]?.kind).toBe('note');
    expect(cut({ role: 'assistant', meta: { status: 'interrupted' } })).toEqual([]);
  });

  test('show a failed turn until something follows it', () => {
    const failure = { afterSeq: 1, sentence: 'The model failed.' };
    expect(pendingRows({ ...idle, failure, timeline: timelineOf([message(1)]) })).toHaveLength(1);
    expect(pendingRows({ ...idle, failure, timeline: timelineOf([message(1), message(2)]) })).toEqual([]);
  });
});
