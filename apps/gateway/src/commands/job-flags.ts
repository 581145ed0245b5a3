import { type JobRequest, parseJobRequest, SchedulerError } from '@x/scheduler';
import { RunError } from '../run-error.js';

/** The options of `jobs add`, as they were written. */
export interface JobFlags {
  readonly in?: string;
  readonly every?: string;
  readonly firstAfter?: string;
  readonly at?: string;
  readonly cron?: string;
  readonly timeZone?: string;
  readonly prompt?: string;
  readonly fresh?: boolean;
  readonly system?: string;
  readonly sender?: string;
  readonly message?: string;
  readonly event?: string;
  readonly session?: string;
  readonly channel?: string;
  readonly chat?: string;
  readonly chatType?: string;
  readonly topic?: string;
  readonly id?: string;
  readonly title?: string;
  readonly maxRuns?: string;
  readonly missedRuns?: string;
}

/** The job that the options ask for. Throws `RunError` (wrong use) with everything that is wrong. */
export function jobOfFlags(flags: JobFlags): JobRequest {
  const target = given({
    session: flags.session,
    channel: flags.channel,
    chat_id: flags.chat,
    chat_type: flags.chatType,
    topic_id: flags.topic,
  });
  const request = given({
    id: flags.id,
    title: flags.title,
    max_runs: numberOf('--max-runs', flags.maxRuns),
    missed_runs: flags.missedRuns,
    target: Object.keys(target).length === 0 ? undefined : target,
    schedule: scheduleOf(flags),
    ...taskOf(flags),
  });
  try {
    return parseJobRequest(request);
  } catch (error) {
    throw error instanceof SchedulerError ? new RunError(error.message, 2) : error;
  }
}

function scheduleOf(flags: JobFlags): object {
  const { in: delay, every, firstAfter, at, cron, timeZone } = flags;
  one('when', { '--in': delay, '--every': every, '--at': at, '--cron': cron });
  if (delay !== undefined) return { type: 'delay', seconds: numberOf('--in', delay) };
  if (at !== undefined) return { type: 'at', timestamp: at };
  if (cron !== undefined) return given({ type: 'cron', expression: cron, time_zone: timeZone });
  const startup_delay_seconds = numberOf('--first-after', firstAfter);
  return given({ type: 'interval', seconds: numberOf('--every', every), startup_delay_seconds });
}

function taskOf(flags: JobFlags): object {
  const { prompt, message, event, fresh, system, sender } = flags;
  one('what', { '--prompt': prompt, '--message': message, '--event': event });
  if (event !== undefined) return { kind: 'internal_event', payload: { event } };
  if (message !== undefined) return { kind: 'outbound_message', payload: { content: message } };
  const payload = given({ prompt, fresh_session: fresh, system_prompt: system, sender_id: sender });
  return { kind: 'agent_task', payload };
}

function one(what: string, choices: Readonly<Record<string, string | undefined>>): void {
  const chosen = Object.values(choices).filter((choice) => choice !== undefined);
  if (chosen.length === 1) return;
  throw new RunError(`Say ${what} by one of ${Object.keys(choices).join(', ')}.`, 2);
}

function numberOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number)) return number;
  throw new RunError(`${flag}: expected a number, got ${text}.`, 2);
}

function given(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
