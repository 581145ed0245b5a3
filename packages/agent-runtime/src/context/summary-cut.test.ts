import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answer, histories, result, stored, user } from '../../test/histories.js';
import { contextLimits } from './context-settings.js';
import { messageMeasure } from './message-size.js';
import { summaryCut } from './summary-cut.js';
import { estimateTokens } from './token-count.js';

const measure = messageMeasure(estimateTokens);
const room = (tokens: number, settings = {}) => ({
  tokens,
  measure,
  limits: contextLimits(settings, tokens),
});
const chat = (turns: number, text = 'hi') =>
  stored(Array.from({ length: turns }, () => [user(text), answer(text)]).flat());

describe('where the older part ends', () => {
  it('nowhere, while there are few messages and much room', () => {
    expect(summaryCut(chat(50), room(100_000))).toBeUndefined();
  });

  it('so that the newest messages stay, when there are many', () => {
    expect(summaryCut(chat(51), room(100_000))).toBe(82);
    expect(summaryCut(chat(6), room(100_000, { summariseAtMessages: 10, keepMessages: 4 }))).toBe(8);
  });

  it('so that little of the room is taken, when much of it was', () => {
    const history = chat(10, 'word '.repeat(100));
    const cut = summaryCut(history, room(3_000));
    expect(cut).toBe(14);
    expect(summaryCut(history, room(30_000))).toBeUndefined();
  });

  it('before the newest question at the latest, and never in a turn', () => {
    const steps = Array.from({ length: 30 }, () => [answer('', 'c'), result('c', 'word '.repeat(50))]).flat();
    expect(summaryCut(stored([user('u'), answer('a'), user('v'), ...steps]), room(2_000))).toBe(2);
    expect(summaryCut(stored([user('v'), ...steps]), room(2_000))).toBeUndefined();
  });

  it('where it is wanted at once, as early as the newest messages allow', () => {
    expect(summaryCut(chat(3), room(100_000), { isForced: true })).toBe(2);
    expect(summaryCut(chat(1), room(100_000), { isForced: true })).toBeUndefined();
  });

  it('nowhere behind the place it is told', () => {
    expect(summaryCut(chat(60), room(100_000), { latest: 10 })).toBe(10);
    expect(summaryCut(chat(60), room(100_000), { latest: 0 })).toBeUndefined();
  });

  it('always leaves the newest question and what follows', () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 1, max: 5_000 }), (history, tokens) => {
        const cut = summaryCut(history, room(tokens), { isForced: true });
        if (cut === undefined) return;
        expect(cut).toBeGreaterThan(0);
        expect(cut).toBeLessThanOrEqual(history.findLastIndex(({ role }) => role === 'user'));
      }),
    );
  });
});
