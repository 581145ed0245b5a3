import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message, MessagePage } from '../api/shapes.js';
import {
  emptyTimeline,
  leavesGap,
  oldestSeq,
  type Timeline,
  withMessage,
  withNewestPage,
  withOlderPage,
} from './timeline.js';

function message(seq: number, text = `text ${seq}`): Message {
  return { seq, id: `m${seq}`, role: 'user', content: text, created_at: '2026-01-01T00:00:00.000Z' };
}

/** The page a gateway that has stored `seqs` would give. */
function pageOf(seqs: readonly number[], limit: number, before = Number.POSITIVE_INFINITY): MessagePage {
  const older = seqs.filter((seq) => seq < before);
  return {
    session_key: 'k',
    messages: older.slice(-limit).map((seq) => message(seq)),
    has_more: older.length > limit,
    first_active_seq: 1,
  };
}

const seqsOf = (timeline: Timeline) => timeline.messages.map(({ seq }) => seq);
const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);

describe('the timeline', () => {
  test('takes a message in once, at its place', () => {
    let timeline = [3, 1, 2, 3].reduce((so, seq) => withMessage(so, message(seq)), emptyTimeline);
    expect(seqsOf(timeline)).toEqual([1, 2, 3]);
    timeline = withMessage(timeline, message(2, 'as stored'));
    expect(timeline.messages[1]?.content).toBe('as stored');
  });

  test('knows when messages between may be missing', () => {
    const timeline = withNewestPage(emptyTimeline, pageOf(upTo(5), 50));
    expect(leavesGap(timeline, message(6))).toBe(false);
    expect(leavesGap(timeline, message(4))).toBe(false);
    expect(leavesGap(timeline, message(8))).toBe(true);
  });

  test('keeps what it has where the newest page reaches it', () => {
    const before = withOlderPage(
      withNewestPage(emptyTimeline, pageOf(upTo(100), 10)),
      pageOf(upTo(100), 10, 91),
    );
    const after = withNewestPage(before, pageOf(upTo(105), 10));
    expect(seqsOf(after)).toEqual(upTo(105).slice(80));
    expect(after.hasOlder).toBe(true);
  });

  test('lets go of what it has where the newest page does not reach it', () => {
    const before = withNewestPage(emptyTimeline, pageOf(upTo(20), 10));
    const after = withNewestPage(before, pageOf(upTo(90), 10));
    expect(seqsOf(after)).toEqual(upTo(90).slice(80));
    expect(after.hasOlder).toBe(true);
  });

  test('keeps what came in live while the page was on its way', () => {
    const live = withMessage(emptyTimeline, message(8));
    expect(seqsOf(withNewestPage(live, pageOf(upTo(7), 50)))).toEqual(upTo(8));
  });

  test('lets go of messages that are gone from the store', () => {
    const before = withNewestPage(emptyTimeline, pageOf(upTo(20), 50));
    expect(seqsOf(withNewestPage(before, pageOf([18, 19, 20], 50)))).toEqual([18, 19, 20]);
  });

  test('is always a gapless, ordered end of the session, whatever is heard, missed and fetched', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('append' as const), heard: fc.boolean() }),
      fc.constant({ kind: 'older' as const }),
      fc.constant({ kind: 'reconnect' as const }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 }), fc.array(step, { maxLength: 60 }), (length, steps) => {
        const stored = upTo(length);
        const newest = () => pageOf(stored, 5);
        let timeline = withNewestPage(emptyTimeline, newest());
        for (const { kind, ...rest } of steps) {
          if (kind === 'append') {
            stored.push((stored.at(-1) ?? 0) + 1);
            if (!('heard' in rest && rest.heard)) continue;
            const arrived = message(stored.at(-1) ?? 0);
            const gap = leavesGap(timeline, arrived);
            timeline = withMessage(timeline, arrived);
            if (gap) timeline = withNewestPage(timeline, newest());
          } else if (kind === 'older') {
            const before = oldestSeq(timeline);
            if (timeline.hasOlder && before !== undefined) {
              timeline = withOlderPage(timeline, pageOf(stored, 5, before));
            }
          } else timeline = withNewestPage(timeline, newest());
          const seqs = seqsOf(timeline);
          const first = seqs[0] ?? 1;
          expect(seqs).toEqual(stored.filter((seq) => seq >= first && seq <= (seqs.at(-1) ?? 0)));
        }
        timeline = withNewestPage(timeline, newest());
        expect(seqsOf(timeline)).toEqual(stored.slice(-timeline.messages.length || stored.length));
        expect(timeline.hasOlder).toBe(timeline.messages.length < stored.length);
      }),
    );
  });
});
