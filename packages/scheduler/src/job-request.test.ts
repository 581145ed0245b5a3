import { expect, it } from 'vitest';
import { newJob, parseJobRequest } from './job-request.js';

const task = { kind: 'internal_event', payload: { event: 'tick' } };
const birth = { id: 'job', now: Date.parse('2026-03-10T12:00:00Z'), source: 'test' };

it.each([
  [
    'a bad cron expression',
    { type: 'cron', expression: 'every day' },
    'schedule.expression',
    'cannot be read',
  ],
  ['a minute that no hour has', { type: 'cron', expression: '61 * * * *' }, 'schedule.expression', '61'],
  ['an empty expression', { type: 'cron', expression: '' }, 'schedule.expression', 'cannot be read'],
  ['seven fields', { type: 'cron', expression: '0 0 9 * * 1 2027' }, 'schedule.expression', '7 parts'],
  [
    'a day that never comes',
    { type: 'cron', expression: '0 9 30 2 *' },
    'schedule.expression',
    'no time that ever',
  ],
  [
    'an unknown zone',
    { type: 'cron', expression: '0 9 * * *', time_zone: 'Mars/Base' },
    'schedule.time_zone',
    'unknown time zone "Mars/Base"',
  ],
  [
    'a time without an offset',
    { type: 'at', timestamp: '2026-03-29T09:00:00' },
    'schedule.timestamp',
    'offset',
  ],
  ['words for a time', { type: 'at', timestamp: 'tomorrow' }, 'schedule.timestamp', 'ISO 8601'],
  ['no time at all', { type: 'at' }, 'schedule.timestamp', 'ISO 8601'],
  ['an interval of nothing', { type: 'interval', seconds: 0 }, 'schedule.seconds', '>=1'],
  ['a negative delay', { type: 'delay', seconds: -1 }, 'schedule.seconds', '>=0'],
  ['milliseconds for seconds', { type: 'delay', seconds: 1_772_086_400_000 }, 'schedule.seconds', '<='],
  ['an unknown schedule', { type: 'weekly' }, 'schedule.type', 'Invalid'],
])('refuses %s, and says where and why', (_what, schedule, path, words) => {
  expect(() => parseJobRequest({ ...task, schedule })).toThrow(
    expect.objectContaining({
      code: 'invalid_job',
      problems: [{ path, message: expect.stringContaining(words) }],
      message: expect.stringContaining(path),
    }),
  );
});

it.each([
  ['no kind', { payload: { event: 'x' } }, 'kind'],
  ['an event without a name', { kind: 'internal_event', payload: {} }, 'payload.event'],
  [
    'a message that says nothing',
    { kind: 'outbound_message', payload: { content: '' }, target: { session: 'a' } },
    'payload.content',
  ],
  ['a message to nobody', { kind: 'outbound_message', payload: { content: 'x' } }, 'target'],
  ['a task for nobody', { kind: 'agent_task', payload: { prompt: 'x' }, target: { chat_id: '1' } }, 'target'],
  ['an id that is none', { ...task, id: 'a b' }, 'id'],
  ['no runs at all', { ...task, max_runs: 0 }, 'max_runs'],
  ['a policy that is none', { ...task, missed_runs: 'twice' }, 'missed_runs'],
])('refuses %s', (_what, request, path) => {
  expect(() => parseJobRequest({ schedule: { type: 'delay', seconds: 1 }, ...request })).toThrow(
    expect.objectContaining({ problems: [expect.objectContaining({ path })] }),
  );
});

it('says everything that is wrong at once', () => {
  const request = {
    kind: 'internal_event',
    payload: {},
    schedule: { type: 'cron', expression: 'x' },
    colour: 1,
  };
  expect(() => parseJobRequest(request)).toThrow(
    /payload\.event.*schedule\.expression|schedule\.expression.*payload\.event/,
  );
});

it('refuses a time that has passed', () => {
  const at = (timestamp: string) => parseJobRequest({ ...task, schedule: { type: 'at', timestamp } });
  expect(() => newJob(at('2026-03-10T13:00:00+01:00'), birth)).toThrow(
    'schedule.timestamp: lies in the past: 2026-03-10T12:00:00.000Z',
  );
  expect(newJob(at('2026-03-10T14:00:01+01:00'), birth).nextFireAt).toBe(birth.now + 3_601_000);
});

it('keeps a time as Unix milliseconds, and what it does not know', () => {
  const { schedule, payload } = parseJobRequest({
    kind: 'agent_task',
    target: { channel: 'feishu', chat_id: 'oc_1', locale: 'zh' },
    payload: { prompt: 'Hello', colour: 'red' },
    schedule: { type: 'at', timestamp: '2026-02-26T06:13:20Z' },
  });
  expect(schedule).toEqual({ type: 'at', timestamp: 1_772_086_400_000 });
  expect(payload).toEqual({ prompt: 'Hello', colour: 'red' });
});
