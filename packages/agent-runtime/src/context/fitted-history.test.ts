import { messageText } from '@x/session-store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answer, histories, result, stored, user } from '../../test/histories.js';
import { assertLegal } from '../../test/legal-prompt.js';
import { modelMessages } from '../model-messages.js';
import { fittedHistory } from './fitted-history.js';
import { messageMeasure } from './message-size.js';
import { estimateTokens } from './token-count.js';

const measure = messageMeasure(estimateTokens);
const room = (tokens: number, mayLeaveOut = true) => ({
  tokens,
  measure,
  mayLeaveOut,
  countTokens: estimateTokens,
});
const size = (messages: Parameters<typeof measure>[0][]) =>
  messages.reduce((sum, each) => sum + measure(each), 0);

describe('the part of a history that fits', () => {
  it('is all of it where all of it fits', () => {
    const history = stored([user('u'), answer('a'), user('v')]);
    expect(fittedHistory(history, room(1_000))).toBe(history);
  });

  it('leaves out the oldest steps, each with its results, and says so', () => {
    const long = 'word '.repeat(100);
    const history = stored([
      user(long),
      answer(long, 'A'),
      result('A', long),
      answer(long),
      user(long),
      answer(long),
      user('newest'),
    ]);
    const shown = fittedHistory(history, room(550));
    expect(shown.map(({ role, content }) => (String(content).length > 50 ? role : content))).toEqual([
      '[Earlier messages are not shown.]',
      'assistant',
      'user',
      'assistant',
      'newest',
    ]);
  });

  it('keeps the question of a turn that alone is longer than the room, and its newest steps', () => {
    const long = 'word '.repeat(200);
    const steps = ['A', 'B', 'C', 'D', 'E', 'F'].flatMap((id) => [
      answer('', id),
      result(id, `${id} ${long}`),
    ]);
    const shown = fittedHistory(stored([user('the question'), ...steps]), room(800));
    expect(shown[0]?.content).toBe('the question');
    expect(messageText(shown.at(-1) ?? user(''))).toContain('F word');
    expect(size([...shown])).toBeLessThanOrEqual(800);
    assertLegal(modelMessages('', '', shown).messages);
  });

  it('cuts a giant result in its middle, with a note, whether or not others may be left out', () => {
    const giant = `BEGIN ${'x '.repeat(50_000)} END`;
    const history = stored([user('u'), answer('', 'A'), result('A', giant), answer('so'), user('v')]);
    for (const mayLeaveOut of [true, false]) {
      const text = messageText(fittedHistory(history, room(2_000, mayLeaveOut))[2] ?? user(''));
      expect(text).toMatch(/^BEGIN /);
      expect(text).toMatch(/ END$/);
      expect(text).toContain('the session keeps all of them');
      expect(estimateTokens(text)).toBeLessThan(550);
    }
    expect(history[2]?.content).toBe(giant);
  });

  it('is legal, keeps the system and the newest question, and fits where that can be', () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 1, max: 6_000 }), (history, tokens) => {
        const shown = fittedHistory(history, room(tokens));
        const legal = modelMessages('s', '', [...shown, user('now')]);
        assertLegal(legal.messages);
        const question = history.findLast(({ role }) => role === 'user');
        if (question !== undefined) {
          expect(shown.some((each) => messageText(each).startsWith(messageText(question).slice(0, 20)))).toBe(
            true,
          );
        }
        const system = (messages: typeof shown) => messages.filter(({ role }) => role === 'system').length;
        expect(system(shown)).toBe(system(history));
        // Below this, the question and the newest step may be more than the room.
        if (tokens > 1_000) expect(size([...shown])).toBeLessThanOrEqual(tokens);
      }),
    );
  });
});
