import type { AgentRuntimeOptions } from './agent-runtime.js';
import type { CoolDowns } from './cool-downs.js';
import { runTurn } from './run-turn.js';
import { createSteeringQueue, type SteeringEntry, type SteeringQueue } from './steering-queue.js';
import { createSubmission, type Submission } from './submission.js';
import type { TurnInput } from './turn.js';
import type { TurnEvent } from './turn-event.js';
import type { TurnLanes } from './turn-lanes.js';
import type { TurnOutcome } from './turn-outcome.js';
import { turnFailure } from './turn-record.js';
import { createTurnStopping, type StopMode, TurnStop } from './turn-stopping.js';
import type { Next, OutlivingChild, ReservedWork, Unaddressed } from './turn-work.js';
import type { WaitingMessage } from './waiting-message.js';

/** A turn that runs or is about to, and all whose messages it answers. */
export interface OpenedTurn {
  readonly turnId: string;
  readonly agentId: string;
  readonly first: Submission;
  readonly steering: SteeringQueue;
  readonly startedAt: string | undefined;
  /** Takes another's message in, to be answered by this turn. */
  join(submission: Submission): void;
  stop(reason: string, mode: StopMode, status?: 'stopped' | 'interrupted'): boolean;
}

export interface TurnHouse {
  readonly options: Required<Pick<AgentRuntimeOptions, 'backend' | 'clock' | 'createId'>>;
  readonly lanes: TurnLanes;
  readonly work: Pick<
    ReservedWork,
    'journal' | 'logger' | 'historyMessages' | 'retryDelayMs' | 'onRefusedAliases'
  > & { readonly coolDowns: CoolDowns };
  readonly publish: (event: TurnEvent) => void;
  readonly isClosed: () => boolean;
  readonly closedError: (sessionKey: string) => Error;
  /** Those that wait or run, by message; and a new one, for a message found waiting. */
  readonly submissionOf: (sessionKey: string, id: string) => Submission | undefined;
  readonly remember: (submission: Submission) => void;
  readonly settle: (submission: Submission, outcome: TurnOutcome, ended: TurnEvent) => void;
  readonly onOpen: (turn: OpenedTurn) => void;
  readonly onStart: (turn: OpenedTurn) => void;
  /** Nothing of it runs any more; not yet told to those who wait for it. */
  readonly onEnd: (turn: OpenedTurn) => void;
  readonly onOutlive: (sessionKey: string, child: OutlivingChild) => void;
}

/** Reserves the session's next turn, for a message and those that already wait behind it. */
export function openTurn(
  house: TurnHouse,
  first: Submission,
  waiting: readonly SteeringEntry[],
  turnId = house.options.createId(),
): OpenedTurn {
  const { request } = first;
  const { sessionKey } = request.session;
  const stopping = createTurnStopping();
  const steering = createSteeringQueue({ ...house.options, ...house.work, sessionKey });
  const submissions = new Set<Submission>([first]);
  let startedAt: string | undefined;
  let hasEnded = false;

  const turn: OpenedTurn = {
    turnId,
    agentId: request.agent.id,
    first,
    steering,
    get startedAt() {
      return startedAt;
    },
    join(submission) {
      attach(submission);
      const { input } = submission.request;
      steering.offer(entryOf(submission, { ...messageOf(input, submission.inputId) }));
    },
    stop(reason, mode, status = 'stopped') {
      if (hasEnded) return false;
      return stopping.stop(new TurnStop(status, reason, mode === 'hard'), mode);
    },
  };

  function attach(submission: Submission): void {
    submissions.add(submission);
    submission.belongsTo(turn, submission === first);
  }

  function entryOf(submission: Submission, message: WaitingMessage): SteeringEntry {
    return {
      message,
      from: 'person',
      isKept: false,
      accepted() {
        submission.accept({ id: message.id });
        emit({ type: 'steering', phase: 'waiting', message });
      },
      refused(error) {
        submission.refuse(error);
        submissions.delete(submission);
        finish(submission, failed(error));
      },
    };
  }

  function emit(event: Unaddressed<TurnEvent>): void {
    const addressed = { ...event, sessionKey, turnId };
    for (const submission of submissions) submission.emit(addressed);
    house.publish(addressed);
  }

  function finish(submission: Submission, outcome: TurnOutcome): void {
    house.settle(submission, outcome, { type: 'ended', sessionKey, turnId, outcome });
  }

  /** Takes the rest of the queue into a turn of its own, which is in the lane before this one leaves it. */
  function handOver(): Next | undefined {
    const rest = steering.close();
    for (const { from, message } of rest) {
      if (from !== 'sub-turn') continue;
      const id = message.id.slice('result-'.length);
      emit({ type: 'sub_turn', phase: 'orphaned', id, status: 'done', text: String(message.content) });
    }
    const [head, ...others] = rest.filter(({ from }) => from === 'person');
    if (head === undefined) return undefined;
    const { id } = head.message;
    const nextId = house.options.createId();
    const next = house.submissionOf(sessionKey, id) ?? submissionFor(head.message);
    for (const { message } of [head, ...others]) {
      const submission = house.submissionOf(sessionKey, message.id);
      if (submission !== undefined) submissions.delete(submission);
      if (submission !== undefined && house.isClosed()) giveUp(submission);
    }
    if (!house.isClosed()) openTurn(house, next, others, nextId);
    return { turnId: nextId, inputId: id, agentId: request.agent.id };
  }

  /** Found waiting, from before the process died: nobody is there to be told. */
  function submissionFor(message: WaitingMessage): Submission {
    const { signal: _another, title: _taken, ...same } = request;
    const submission = createSubmission({ ...same, input: inputOf(message) }, message.id);
    if (!house.isClosed()) house.remember(submission);
    return submission;
  }

  /** What was kept is answered after the restart. */
  function giveUp(submission: Submission): void {
    submission.refuse(house.closedError(sessionKey));
    finish(submission, nothing('interrupted'));
  }

  async function run(): Promise<TurnOutcome> {
    if (house.isClosed()) {
      first.refuse(house.closedError(sessionKey));
      handOver();
      return nothing('interrupted');
    }
    startedAt = house.options.clock().toISOString();
    house.onStart(turn);
    return runTurn({
      ...house.options,
      ...house.work,
      turnId,
      inputId: first.inputId,
      request,
      stopping,
      signal: stopping.signal,
      steering,
      depth: 0,
      emit,
      accept: (place) => first.accept(place),
      refuse: (error) => first.refuse(error),
      handOver,
      runNested: runTurn,
      onOutlive: (child) => house.onOutlive(sessionKey, child),
    });
  }

  attach(first);
  for (const entry of waiting) {
    const submission = house.submissionOf(sessionKey, entry.message.id);
    if (submission !== undefined) attach(submission);
    const again = submission === undefined ? entry : entryOf(submission, entry.message);
    steering.offer({ ...again, isKept: entry.isKept });
  }
  house.onOpen(turn);
  house.lanes.enqueue(sessionKey, async () => {
    const outcome = await run().catch((error: unknown): TurnOutcome => {
      // `runTurn` answers for everything but its own surroundings, such as a clock that fails.
      house.work.logger.warn({ sessionKey, turnId, error }, 'A turn ended in the middle of nowhere.');
      first.refuse(error);
      handOver();
      return failed(error);
    });
    hasEnded = true;
    house.onEnd(turn);
    // Last of all, so that whoever hears of the end finds nothing running.
    house.publish({ type: 'ended', sessionKey, turnId, outcome });
    for (const submission of submissions) finish(submission, outcome);
  });
  return turn;
}

function messageOf({ text, media = [], meta }: TurnInput, id: string): WaitingMessage {
  return {
    id,
    role: 'user',
    content: text,
    ...(media.length === 0 ? {} : { media }),
    ...(meta === undefined ? {} : { meta }),
  };
}

export function inputOf({ id, content, media, meta }: WaitingMessage): TurnInput {
  return {
    id,
    text: typeof content === 'string' ? content : '',
    ...(media === undefined ? {} : { media }),
    ...(meta === undefined ? {} : { meta }),
  };
}

function nothing(status: TurnOutcome['status']): TurnOutcome {
  return { status, reply: '', messages: [], steps: 0 };
}

function failed(error: unknown): TurnOutcome {
  return { ...nothing('failed'), error: turnFailure(error) };
}
