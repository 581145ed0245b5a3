import type { TurnOutcome } from '@x/agent-runtime';
import type { Occasion, RunResult, Task } from '@x/scheduler';
import type { JsonValue, SessionBackend } from '@x/session-store';
import { type ReceivingHouse, receive } from '../receive.js';
import { betweenTurns, openTarget, placeTarget, type TargetHouse } from './job-target.js';
import { type SpeakingHouse, sayOutside } from './spoken-place.js';

export type AgentTask = Extract<Task, { kind: 'agent_task' }>;

/** Looks so far back for what an earlier try of the same run has left. */
const RECENT = 200;

/**
 * Says the prompt to the agent as a message of its user, by the way of every message, and waits for the answer. A run
 * that is tried again says nothing twice: its messages have the ids of the run.
 */
export async function runAgentTask(
  house: ReceivingHouse & TargetHouse & SpeakingHouse,
  { payload, target }: AgentTask,
  { runId, job }: Pick<Occasion, 'runId' | 'job'>,
): Promise<RunResult> {
  const { prompt, fresh_session, system_prompt, sender_id, metadata } = payload;
  const { request, place } = await placeTarget(house, target, sender_id);
  const { sessionKey } = place.session;
  const id = `job:${runId}`;
  const systemId = `${id}:system`;
  const meta: Record<string, JsonValue> = {
    origin: 'schedule',
    job_id: job.id,
    ...(sender_id === undefined ? {} : { sender_id }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  const isPrepared = fresh_session !== true && system_prompt === undefined;
  if (!isPrepared && !(await wasBegun(house.backend, sessionKey, [id, systemId]))) {
    await betweenTurns(house, sessionKey, async () => {
      if (fresh_session === true) await beginAnew(house.backend, sessionKey);
      if (system_prompt !== undefined) {
        await openTarget(house, place);
        const words = { id: systemId, role: 'system' as const, content: system_prompt, meta };
        await house.backend.append(sessionKey, [words]);
      }
      house.feed.sessionChanged(sessionKey);
    });
  }
  const turn = await receive(house, { ...request, text: prompt, id, meta });
  // Where the prompt could not be stored, that is the error.
  await turn.accepted;
  const outcome = await turn.outcome;
  if (outcome.status === 'done') await sayOutside(house, target, outcome.reply, id);
  return resultOf(outcome);
}

async function beginAnew(backend: SessionBackend, sessionKey: string): Promise<void> {
  const meta = await backend.meta(sessionKey);
  if (meta !== undefined && meta.deletedAt === undefined && meta.activeCount > 0) {
    await backend.reset(sessionKey, { reason: 'schedule' });
  }
}

async function wasBegun(
  backend: SessionBackend,
  sessionKey: string,
  ids: readonly string[],
): Promise<boolean> {
  const recent = await backend.read(sessionKey, { segment: 'all', limit: RECENT, order: 'desc' });
  return recent.some(({ id }) => ids.includes(id));
}

function resultOf({ status, error }: TurnOutcome): RunResult {
  if (status === 'done') return { status: 'ok' };
  const reason = status === 'failed' ? (error?.message ?? 'The turn failed.') : `The turn was ${status}.`;
  return { status: 'error', reason };
}
