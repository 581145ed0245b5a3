import type { Job } from '../job.js';

/** A job that waits for its time, every member of it set to something. */
export function sampleJob(id: string, changes: Partial<Job> = {}): Job {
  return {
    id,
    kind: 'agent_task',
    schedule: { type: 'cron', expression: '30 9 * * 1-5', time_zone: 'Europe/Berlin' },
    target: { channel: 'feishu', chat_id: 'oc_ab12', session: 'agent:main:main' },
    payload: {
      prompt: 'Summarise “the day” 日本 \u0000 \n',
      metadata: { trace: ['x1', null, { deep: 1.5 }] },
    },
    enabled: true,
    state: 'scheduled',
    lastStatus: 'error',
    lastError: 'timed out',
    runCount: 3,
    maxRuns: 10,
    lastFiredAt: 1_771_999_999_000,
    nextFireAt: 1_772_000_300_000,
    pausedAt: undefined,
    completedAt: undefined,
    createdAt: 1_771_999_995_000,
    updatedAt: 1_772_000_000_000,
    source: 'tool',
    title: 'The day in short',
    missedRuns: 'all',
    dueAt: 1_772_000_299_000,
    failures: 1,
    claim: undefined,
    revision: 0,
    ...changes,
  };
}

/** A job of which only what every job has is set. */
export function bareJob(id: string, changes: Partial<Job> = {}): Job {
  return sampleJob(id, {
    kind: 'internal_event',
    schedule: { type: 'interval', seconds: 300, startup_delay_seconds: 5 },
    target: {},
    payload: { event: 'session_cleanup' },
    enabled: false,
    lastStatus: undefined,
    lastError: undefined,
    runCount: 0,
    maxRuns: undefined,
    lastFiredAt: undefined,
    nextFireAt: undefined,
    source: undefined,
    title: undefined,
    missedRuns: undefined,
    dueAt: undefined,
    failures: 0,
    ...changes,
  });
}
