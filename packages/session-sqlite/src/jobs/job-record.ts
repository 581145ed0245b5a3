const states = ['scheduled', 'running', 'paused', 'completed'] as const;
const statuses = ['ok', 'error', 'skipped'] as const;
const policies = ['skip', 'once', 'all'] as const;

type JobJson = { readonly [name: string]: unknown };

/**
 * A job as `@x/scheduler` knows it. Said here once more, because imports go one way and a store knows no scheduler;
 * the type check of `job-store.test.ts` holds the two together.
 */
export interface JobRecord {
  readonly id: string;
  readonly kind: string;
  readonly schedule: JobJson;
  readonly target: JobJson;
  readonly payload: JobJson;
  readonly enabled: boolean;
  readonly state: (typeof states)[number];
  readonly lastStatus: (typeof statuses)[number] | undefined;
  readonly lastError: string | undefined;
  readonly runCount: number;
  readonly maxRuns: number | undefined;
  readonly lastFiredAt: number | undefined;
  readonly nextFireAt: number | undefined;
  readonly pausedAt: number | undefined;
  readonly completedAt: number | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly source: string | undefined;
  readonly title: string | undefined;
  readonly missedRuns: (typeof policies)[number] | undefined;
  readonly dueAt: number | undefined;
  readonly failures: number;
  readonly claim: { readonly owner: string; readonly token: number } | undefined;
  readonly revision: number;
}

/** A row of `scheduler_jobs`. PicoBot's rows have nothing in the columns that are not PicoBot's. */
export interface JobRow {
  readonly id: string;
  readonly kind: string;
  readonly schedule_json: string;
  readonly interval_secs: number;
  readonly startup_delay_secs: number;
  readonly target_json: string;
  readonly payload_json: string;
  readonly enabled: number;
  readonly state: string;
  readonly last_status: string | null;
  readonly last_error: string | null;
  readonly run_count: number;
  readonly max_runs: number | null;
  readonly last_fired_at: number | null;
  readonly next_fire_at: number | null;
  readonly paused_at: number | null;
  readonly completed_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly time_zone: string | null;
  readonly source: string | null;
  readonly title: string | null;
  readonly missed_runs: string | null;
  readonly due_at: number | null;
  readonly failures: number | null;
  readonly claim_owner: string | null;
  readonly claim_token: number | null;
  readonly revision: number | null;
}

export function jobOfRow(row: JobRow): JobRecord {
  const state = oneOf(states, row.state) ?? 'paused';
  const isClaimed = state === 'running' && row.claim_token !== null;
  return {
    id: row.id,
    kind: row.kind,
    schedule: scheduleOfRow(row),
    target: jsonOf(row.target_json),
    payload: jsonOf(row.payload_json),
    enabled: row.enabled !== 0,
    state,
    lastStatus: oneOf(statuses, row.last_status),
    lastError: row.last_error ?? undefined,
    runCount: row.run_count,
    maxRuns: row.max_runs ?? undefined,
    lastFiredAt: row.last_fired_at ?? undefined,
    nextFireAt: row.next_fire_at ?? undefined,
    pausedAt: row.paused_at ?? undefined,
    completedAt: row.completed_at ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    source: row.source ?? undefined,
    title: row.title ?? undefined,
    missedRuns: oneOf(policies, row.missed_runs),
    dueAt: row.due_at ?? undefined,
    failures: row.failures ?? 0,
    claim: isClaimed ? { owner: row.claim_owner ?? '', token: row.claim_token ?? 0 } : undefined,
    revision: row.revision ?? 0,
  };
}

export function rowOfJob(job: JobRecord): JobRow {
  return {
    id: job.id,
    kind: job.kind,
    ...scheduleColumns(job.schedule),
    target_json: textOf(job.target),
    payload_json: textOf(job.payload),
    enabled: job.enabled ? 1 : 0,
    state: job.state,
    last_status: job.lastStatus ?? null,
    last_error: job.lastError ?? null,
    run_count: job.runCount,
    max_runs: job.maxRuns ?? null,
    last_fired_at: job.lastFiredAt ?? null,
    next_fire_at: job.nextFireAt ?? null,
    paused_at: job.pausedAt ?? null,
    completed_at: job.completedAt ?? null,
    created_at: job.createdAt,
    updated_at: job.updatedAt,
    source: job.source ?? null,
    title: job.title ?? null,
    missed_runs: job.missedRuns ?? null,
    due_at: job.dueAt ?? null,
    failures: job.failures,
    claim_owner: job.claim?.owner ?? null,
    claim_token: job.claim?.token ?? null,
    revision: job.revision,
  };
}

/** What PicoBot keeps beside the schedule, and what it does not know, stands in columns: the JSON stays as it reads it. */
function scheduleColumns(schedule: JobJson) {
  const { startup_delay_seconds: delay, time_zone: zone, ...rest } = schedule;
  const isInterval = schedule.type === 'interval';
  const hasDelay = isInterval && Number.isSafeInteger(delay) && Number(delay) > 0;
  const hasZone = schedule.type === 'cron' && typeof zone === 'string';
  const seconds = isInterval && Number.isSafeInteger(schedule.seconds) ? Number(schedule.seconds) : 0;
  return {
    schedule_json: textOf({
      ...rest,
      ...(hasDelay || delay === undefined ? {} : { startup_delay_seconds: delay }),
      ...(hasZone || zone === undefined ? {} : { time_zone: zone }),
    }),
    interval_secs: seconds,
    startup_delay_secs: hasDelay ? Number(delay) : 0,
    time_zone: hasZone ? String(zone) : null,
  };
}

function scheduleOfRow(row: JobRow): JobJson {
  const schedule = jsonOf(row.schedule_json);
  return {
    ...schedule,
    ...(schedule.type === 'interval' && row.startup_delay_secs > 0
      ? { startup_delay_seconds: row.startup_delay_secs }
      : {}),
    ...(schedule.type === 'cron' && row.time_zone !== null ? { time_zone: row.time_zone } : {}),
  };
}

/** The name under which a text that is no JSON is handed on, so that it is written back as it was. */
const unreadable = 'unreadable_text';

function jsonOf(text: string): JobJson {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Told below: whoever reads the job says what is wrong with it.
  }
  return { [unreadable]: text };
}

function textOf(json: JobJson): string {
  const text = json[unreadable];
  return typeof text === 'string' ? text : JSON.stringify(json);
}

function oneOf<Word extends string>(words: readonly Word[], text: string | null): Word | undefined {
  return words.find((word) => word === text);
}
