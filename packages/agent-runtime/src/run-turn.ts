import { messageText } from '@x/session-store';
import { abortable } from './abortable.js';
import { agentPromptMessages } from './agent-prompt.js';
import { openTurnContext } from './context/turn-context.js';
import { earlierAnswer } from './earlier-answer.js';
import { AgentRuntimeError } from './errors.js';
import { ModelFailure } from './model-failure.js';
import { openSession } from './session-opening.js';
import { addSessionUsage } from './session-usage.js';
import { createSubTurns } from './sub-turns.js';
import { openTranscript, type Transcript } from './transcript.js';
import { closingMessages, owedResults, storeEnd, type TurnEnd } from './turn-end.js';
import { turnModels } from './turn-models.js';
import type { TurnOutcome } from './turn-outcome.js';
import { newTurnRecord, type TurnRecord, turnFailure, turnOutcome } from './turn-record.js';
import { turnState } from './turn-state.js';
import { takeSteps } from './turn-steps.js';
import { TurnStop } from './turn-stopping.js';
import { undoTurn } from './turn-undo.js';
import type { ReservedWork, TurnWork } from './turn-work.js';
import { addedUsage, type StepUsage } from './usage.js';
import { forgetWaiting, waitingMessages } from './waiting-message.js';

/** One turn's life: open the session, heal what an earlier turn left, store the message, answer, close. Never rejects. */
export async function runTurn(reserved: ReservedWork): Promise<TurnOutcome> {
  const work: TurnWork = { ...reserved, subTurns: createSubTurns(reserved) };
  const { request, turnId, inputId, journal, stopping } = work;
  const { sessionKey } = request.session;
  const startedAt = work.clock().toISOString();
  work.emit({ type: 'started', agentId: request.agent.id, inputId });
  // Not waited for before the message is stored: the history alone tells of a turn that died this early.
  const begun = journal
    .begin({ turnId, sessionKey, agentId: request.agent.id, inputId, startedAt })
    .catch((error: unknown) => report(work, error, 'The journal did not take a turn.'));
  const timeoutMs = request.agent.turnTimeoutMs ?? 3_600_000;
  const timer = setTimeout(() => {
    stopping.stop(new ModelFailure('turn_timeout', `The turn took longer than ${timeoutMs} ms.`), 'now');
  }, timeoutMs);
  const { outcome, isClosed } = await answer(work, begun);
  clearTimeout(timer);
  work.subTurns.leave();
  await begun;
  if (outcome.steps > 0 && outcome.usage !== undefined) await addToSession(work, outcome.usage);
  await handOver(work, startedAt);
  // What could not be closed stays in the journal, and is closed after a restart.
  if (isClosed) {
    await journal
      .end(turnId)
      .catch((error: unknown) => report(work, error, 'The journal did not forget a turn.'));
  }
  return outcome;
}

/** What was accepted and did not join goes on as a turn of its own, which is known before this one is forgotten. */
async function handOver(work: TurnWork, startedAt: string): Promise<void> {
  await work.steering.settle();
  const next = work.handOver();
  if (next === undefined) return;
  const { sessionKey } = work.request.session;
  await work.journal
    .begin({ ...next, sessionKey, startedAt })
    .catch((error: unknown) => report(work, error, 'The journal did not take a turn.'));
}

async function addToSession(work: TurnWork, usage: StepUsage): Promise<void> {
  await addSessionUsage(work.backend, work.request.session.sessionKey, usage).catch((error: unknown) =>
    report(work, error, 'What a turn took could not be added to its session.'),
  );
}

interface Answered {
  readonly outcome: TurnOutcome;
  /** False where the history does not show the end. */
  readonly isClosed: boolean;
}

async function answer(work: TurnWork, begun: Promise<void>): Promise<Answered> {
  const record = newTurnRecord();
  let transcript: Transcript | undefined;
  try {
    const opened = await takeIn(work, record);
    if ('earlier' in opened) return { outcome: replay(work, opened.earlier), isClosed: true };
    transcript = opened.transcript;
    await begun;
    work.signal.throwIfAborted();
    const system = await opened.system();
    const { models, reason } = turnModels(work.request.agent, work.request.input, transcript.history());
    if (reason !== undefined) {
      work.emit({ type: 'model', phase: 'chosen', modelName: models[0]?.modelName ?? '', reason });
    }
    const context = openTurnContext(work, { ...opened, system, models }, record);
    await takeSteps(work, { transcript, context, models }, record);
    record.usage = addedUsage(record.usage, work.subTurns.usage());
    return { outcome: turnOutcome('done', record), isClosed: true };
  } catch (error) {
    if (transcript !== undefined) return close(work, transcript, record, error);
    report(work, error, 'A message could not be stored.');
    work.refuse(error);
    return { outcome: turnOutcome('failed', record, turnFailure(error)), isClosed: true };
  }
}

type TakenIn =
  | {
      readonly transcript: Transcript;
      readonly summary: string;
      readonly cutoff: number;
      readonly system: () => Promise<string>;
    }
  | { readonly earlier: TurnOutcome };

/** Up to the point where the message is safe; from there on the turn answers for it. */
async function takeIn(work: TurnWork, record: TurnRecord): Promise<TakenIn> {
  const { request, backend } = work;
  const { sessionKey } = request.session;
  const { meta, refused } = await openSession(backend, request.session, request.title);
  work.onRefusedAliases(sessionKey, refused);
  const transcript = await openTranscript({ ...work, sessionKey, limit: work.historyMessages });
  await heal(work, transcript);
  const waiting = waitingMessages(meta.attributes);
  const profile = await agentPromptMessages(work, meta, transcript.history());
  const { message, appended } = await transcript.append(inputMessage(work), profile);
  record.firstSeq = message.seq - (appended ? profile.length : 0);
  if (!appended) await checkIsPersons(work, message.seq);
  if (waiting.some(({ id }) => id === work.inputId)) {
    await forgetWaiting({ ...work, sessionKey }, work.inputId);
  }
  work.steering.adopt(waiting.filter(({ id }) => id !== work.inputId));
  const earlier = appended ? undefined : await earlierAnswer(backend, sessionKey, meta.cutoff, message);
  work.accept({ seq: message.seq, id: message.id });
  work.emit({ type: 'accepted', message });
  work.steering.begin();
  if (earlier !== undefined) return { earlier };

  const { system, id } = request.agent;
  const context = { session: meta, turnId: work.turnId, now: work.clock() };
  return {
    transcript,
    summary: meta.summary,
    cutoff: meta.cutoff,
    async system() {
      try {
        if (typeof system === 'string') return system;
        return await abortable(Promise.resolve(system(context)), work.signal);
      } catch (cause) {
        work.signal.throwIfAborted();
        throw new ModelFailure('agent_failed', `The agent ${id} could not say its instructions.`, { cause });
      }
    },
  };
}

/**
 * Closes an earlier turn that the history shows unfinished although nothing runs. Where it is the turn of this
 * very message, only its open calls are answered: it is about to be gone on with.
 */
async function heal(work: TurnWork, transcript: Transcript): Promise<void> {
  const history = transcript.history();
  if (turnState(history) !== 'unfinished') return;
  const isOwn = history.findLast((message) => message.role === 'user')?.id === work.inputId;
  const missing = isOwn ? owedResults(history) : closingMessages(history, { status: 'interrupted' });
  for (const message of await transcript.appendAll(missing)) work.emit({ type: 'healed', message });
}

/** A retry repeats its own message: the id of an answer or a tool's result would silently swallow what was said. */
async function checkIsPersons(work: TurnWork, seq: number): Promise<void> {
  const { sessionKey } = work.request.session;
  const range = { segment: 'all', after: seq - 1, before: seq + 1 } as const;
  const [stored] = await work.backend.read(sessionKey, range);
  if (stored === undefined || stored.role === 'user') return;
  const why = `The id ${work.inputId} is that of another message of session "${sessionKey}"; give this one its own.`;
  throw new AgentRuntimeError('invalid_request', why, sessionKey);
}

function inputMessage(work: TurnWork) {
  const { text, media, meta } = work.request.input;
  return {
    id: work.inputId,
    role: 'user' as const,
    content: text,
    ...(media === undefined || media.length === 0 ? {} : { media }),
    ...(meta === undefined ? {} : { meta }),
  };
}

function replay(work: TurnWork, earlier: TurnOutcome): TurnOutcome {
  if (earlier.reply !== '') work.emit({ type: 'token', text: earlier.reply });
  for (const message of earlier.messages) work.emit({ type: 'message', message });
  return earlier;
}

/** A turn that does not end well leaves a history that says so, and from which the next can go on. */
async function close(
  work: TurnWork,
  transcript: Transcript,
  record: TurnRecord,
  error: unknown,
): Promise<Answered> {
  const stop = error instanceof TurnStop ? error : undefined;
  const failure = stop === undefined ? turnFailure(error) : undefined;
  if (failure !== undefined) report(work, error, failure.message);
  const status = stop?.status ?? 'failed';
  record.usage = addedUsage(record.usage, work.subTurns.usage());
  const end: TurnEnd = {
    status,
    ...(failure === undefined ? {} : { error: failure.message }),
    ...(stop === undefined ? {} : { reason: stop.message }),
    partial: record.partial,
    modelName: work.request.agent.modelName,
  };
  try {
    if (stop?.undoes === true) {
      await undoTurn(work, record, stop.message);
      return { outcome: turnOutcome(status, record), isClosed: true };
    }
    for (const message of await storeEnd(transcript, end)) {
      record.messages.push(message);
      work.emit({ type: 'message', message });
      const { role, toolCallId: id, toolName: name } = message;
      if (role !== 'tool' || id === undefined || name === undefined) continue;
      work.emit({ type: 'tool', phase: 'failed', id, name, result: messageText(message) });
    }
    return { outcome: turnOutcome(status, record, failure), isClosed: true };
  } catch (cause) {
    const lost = turnFailure(cause);
    report(work, cause, lost.message);
    return { outcome: turnOutcome('failed', record, failure ?? lost), isClosed: false };
  }
}

/** A model's error may carry the whole conversation and the key: of those, only our own sentence is logged. */
function report(work: TurnWork, error: unknown, sentence: string): void {
  const { turnId, request, logger } = work;
  const facts = { turnId, sessionKey: request.session.sessionKey };
  if (error instanceof ModelFailure) logger.warn({ ...facts, code: error.code }, sentence);
  else logger.warn({ ...facts, error: error instanceof Error ? error.stack : String(error) }, sentence);
}
