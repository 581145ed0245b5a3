import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { createLog, shortLine } from './log.js';

test('secrets and what people wrote stay out of the log', () => {
  const written: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    written.push(String(line));
    return true;
  });
  try {
    const log = createLog('info', true);
    const error = Object.assign(new Error('refused'), {
      requestBodyValues: { messages: ['my diary'] },
      code: 'E1',
    });
    log.warn({ err: error, token: 'abc', headers: { authorization: 'Bearer abc' } }, 'A call failed.');
    log.error({ error }, 'Another one.');
    log.debug('not at this level');
  } finally {
    write.mockRestore();
  }
  const text = written.join('');
  expect(written).toHaveLength(2);
  expect(text).toContain('refused');
  expect(text).toContain('E1');
  expect(text).not.toMatch(/abc|diary/);
});

test('a line for a person is short', () => {
  const line = JSON.stringify({
    level: pino.levels.values.warn,
    time: '2026-01-02T03:04:05.678Z',
    pid: 1,
    port: 7,
    msg: 'Careful.',
  });
  expect(shortLine(line)).toBe('03:04:05 warn  Careful. port=7\n');
});
