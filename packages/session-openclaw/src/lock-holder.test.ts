import { expect, test } from 'vitest';
import {
  INDEX_STALE_MS,
  judgeLock,
  type LockHolder,
  type ProcessState,
  readHolder,
  TRANSCRIPT_STALE_MS,
} from './lock-holder.js';

const now = Date.parse('2026-03-01T12:00:00.000Z');
const at = (secondsAgo: number) => new Date(now - secondsAgo * 1000).toISOString();
const alive = (starttime: number | undefined): ProcessState => ({ isAlive: true, starttime });
const dead: ProcessState = { isAlive: false, starttime: undefined };

test.each<[string, LockHolder, ProcessState, number, string]>([
  ['its process is dead', { pid: 7, createdAt: at(1) }, dead, 1, 'gone'],
  ['its pid was given to another', { pid: 7, starttime: 5, createdAt: at(1) }, alive(6), 1, 'gone'],
  ['its own pid, of a process before a restart', { pid: process.pid, starttime: 5 }, alive(6), 1, 'gone'],
  ['its process runs', { pid: 7, starttime: 5, createdAt: at(1) }, alive(5), 1, 'held'],
  [
    'its process runs and has it for long',
    { pid: 7, starttime: 5, createdAt: at(900) },
    alive(5),
    900,
    'held',
  ],
  ['the pid runs, and nothing says since when', { pid: 7, createdAt: at(20) }, alive(5), 20, 'held'],
  ['the same, for longer than OpenClaw believes', { pid: 7, createdAt: at(31) }, alive(5), 31, 'forgotten'],
  [
    'the system tells no start',
    { pid: 7, starttime: 5, createdAt: at(31) },
    alive(undefined),
    31,
    'forgotten',
  ],
  ['it names nobody, and the file is new', {}, dead, 3, 'held'],
  ['it names nobody, and the file is old', {}, dead, 40, 'forgotten'],
  ['its time is no time', { pid: 7, createdAt: 'yesterday' }, alive(5), 40, 'forgotten'],
  ['its time has not come, and the file is new', { pid: 7, createdAt: at(-900) }, alive(5), 3, 'held'],
  ['its time has not come, and the file is old', { pid: 7, createdAt: at(-900) }, alive(5), 40, 'forgotten'],
  ['another machine has it', { pid: 7, host: 'other', createdAt: at(3) }, dead, 3, 'held'],
  ['another machine had it long ago', { pid: 7, host: 'other', createdAt: at(31) }, dead, 31, 'forgotten'],
])('a lock, where %s', (_, holder, state, writtenSecondsAgo, verdict) => {
  const sight = {
    holder,
    writtenAt: now - writtenSecondsAgo * 1000,
    now,
    staleMs: INDEX_STALE_MS,
    host: 'here',
    process: () => state,
  };
  expect(judgeLock(sight)).toBe(verdict);
});

test('a lock file may say anything', () => {
  expect(readHolder('')).toEqual({});
  expect(readHolder('{"pid": "12", "createdAt": 5, "starttime": -1}')).toEqual({});
  expect(readHolder('[1]')).toEqual({});
  expect(readHolder('{"pid": 4, "createdAt": "x", "starttime": 9, "more": 1}')).toEqual({
    pid: 4,
    createdAt: 'x',
    starttime: 9,
  });
});

test('a transcript that nobody proves to hold is believed in for half an hour', () => {
  const sight = (secondsAgo: number) => ({
    holder: { pid: 7, createdAt: at(secondsAgo) },
    writtenAt: now,
    now,
    staleMs: TRANSCRIPT_STALE_MS,
    host: 'here',
    process: () => alive(5),
  });
  expect([judgeLock(sight(1790)), judgeLock(sight(1810))]).toEqual(['held', 'forgotten']);
});
