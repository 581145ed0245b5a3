import { describe, expect, test } from 'vitest';
import type { LiveEvent, Message } from '../api/shapes.js';
import { applyToLiveTurns, type LiveTurns, markMissed } from './live-turns.js';

const turn = { session_key: 'k', turn_id: 't1' };
const message: Message = {
  seq: 2,
  id: 'm',
  role: 'assistant',
  content: 'x',
  created_at: '2026-01-01T00:00:00Z',
};
const running: LiveEvent = { event: 'turn', ...turn, state: 'running' };
const token = (text: string): LiveEvent => ({ event: 'token', ...turn, text });

function after(...events: LiveEvent[]): LiveTurns {
  return events.reduce<LiveTurns>(applyToLiveTurns, new Map());
}

describe('live turns', () => {
  test('gather the words of a running turn', () => {
    expect(after(running, token('Good '), token('day')).get('k')).toEqual({
      turnId: 't1',
      text: 'Good day',
      fromStart: true,
    });
  });

  test('begin anew after each stored message', () => {
    const turns = after(running, token('First.'), { event: 'message', ...turn, message }, token('Second.'));
    expect(turns.get('k')?.text).toBe('Second.');
  });

  test('begin with the message they answer, where that is heard first', () => {
    const turns = after({ event: 'user', ...turn, message }, token('Good day'));
    expect(turns.get('k')).toEqual({ turnId: 't1', text: 'Good day', fromStart: true });
  });

  test('say so where the beginning was not heard', () => {
    expect(after(token('middle')).get('k')?.fromStart).toBe(false);
    expect(markMissed(after(running, token('Good '))).get('k')).toEqual({
      turnId: 't1',
      text: '',
      fromStart: false,
    });
  });

  test('name the tool at work, until it is done', () => {
    const start: LiveEvent = { event: 'tool', ...turn, phase: 'start', id: 'c', name: 'clock' };
    expect(after(running, start).get('k')?.toolName).toBe('clock');
    expect(after(running, start, { ...start, phase: 'end' }).get('k')?.toolName).toBeUndefined();
  });

  test('name the helper at work, and the summary being written, until they are done', () => {
    const helper: LiveEvent = { event: 'sub_turn', ...turn, phase: 'start', id: 'h', task: 'count' };
    expect(after(running, helper).get('k')?.toolName).toBe('helper: count');
    expect(after(running, helper, { ...helper, phase: 'end' }).get('k')?.toolName).toBeUndefined();
    const summary: LiveEvent = { event: 'summary', ...turn, phase: 'start' };
    expect(after(running, summary).get('k')?.toolName).toBe('summary');
  });

  test('end with the turn, and not with an older one', () => {
    expect(after(running, { event: 'turn', ...turn, state: 'done' }).size).toBe(0);
    expect(after(running, { event: 'turn', ...turn, turn_id: 't0', state: 'failed' }).size).toBe(1);
    expect(after(running, { event: 'session_deleted', key: 'k' }).size).toBe(0);
  });
});
