import { messageText, type StoredMessage } from '@x/session-store';
import type { AgentRuntime, AgentRuntimeOptions, RecoveredTurn } from './agent-runtime.js';
import { createCoolDowns } from './cool-downs.js';
import { AgentRuntimeError } from './errors.js';
import { quietLogger, steadyJournal } from './guarded-parts.js';
import { inputOf, type OpenedTurn, openTurn, type TurnHouse } from './open-turns.js';
import { recoverTurn } from './recover-turn.js';
import { createSubmission, type Submission } from './submission.js';
import type { Turn, TurnInput, TurnRequest } from './turn.js';
import type { TurnEvent } from './turn-event.js';
import type { OpenTurn } from './turn-journal.js';
import { createTurnLanes } from './turn-lanes.js';
import type { OutlivingChild } from './turn-work.js';
import { waitingMessages } from './waiting-message.js';

/** Aliases already complained about; forgotten when there are many, so that memory stays bounded. */
const REMEMBERED_REFUSALS = 10_000;

export function createAgentRuntime(options: AgentRuntimeOptions): AgentRuntime {
  const { backend, limits = {} } = options;
  const clock = options.clock ?? (() => new Date());
  const createId = options.createId ?? (() => crypto.randomUUID());
  const logger = quietLogger(options.logger);
  const journal = steadyJournal(options.journal, logger);
  const queuedPerSession = limits.queuedPerSession ?? 100;
  const lanes = createTurnLanes(limits.parallelTurns ?? 16);
  const running = new Map<string, OpenedTurn>();
  /** The newest turn of each session: what comes now joins it. */
  const newest = new Map<string, OpenedTurn>();
  /** Messages that run or wait, by session and id: what a repeated submission joins. */
  const pending = new Map<string, Submission>();
  /** Sub-turns whose turn has ended well before them. */
  const outliving = new Map<OutlivingChild, string>();
  const listeners = new Set<(event: TurnEvent) => void>();
  const complained = new Set<string>();
  let isClosed = false;

  function publish(event: TurnEvent): void {
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (error) {
        logger.warn({ error, type: event.type }, 'A listener of turn events threw.');
      }
    }
  }

  function complain(
    sessionKey: string,
    refused: readonly { alias: string; owner: string | undefined }[],
  ): void {
    for (const { alias, owner } of refused) {
      const name = JSON.stringify([sessionKey, alias]);
      if (complained.has(name)) continue;
      if (complained.size >= REMEMBERED_REFUSALS) complained.clear();
      complained.add(name);
      logger.warn({ sessionKey, alias, owner }, 'An alias belongs to another session and was not claimed.');
    }
  }

  function remember(submission: Submission): void {
    pending.set(nameOf(submission.request.session.sessionKey, submission.inputId), submission);
  }

  const house: TurnHouse = {
    options: { backend, clock, createId },
    lanes,
    work: {
      journal,
      logger,
      historyMessages: limits.historyMessages ?? 500,
      retryDelayMs: limits.retryDelayMs ?? 500,
      coolDowns: createCoolDowns(clock),
      onRefusedAliases: complain,
    },
    publish,
    isClosed: () => isClosed,
    closedError,
    submissionOf: (sessionKey, id) => pending.get(nameOf(sessionKey, id)),
    remember,
    settle(submission, outcome, ended) {
      pending.delete(nameOf(submission.request.session.sessionKey, submission.inputId));
      submission.settle(outcome, ended);
    },
    onOpen: (turn) => void newest.set(turn.first.turn.sessionKey, turn),
    onStart: (turn) => void running.set(turn.first.turn.sessionKey, turn),
    onEnd(turn) {
      const { sessionKey } = turn.first.turn;
      running.delete(sessionKey);
      if (newest.get(sessionKey) === turn) newest.delete(sessionKey);
    },
    onOutlive(sessionKey, child) {
      outliving.set(child, sessionKey);
      void child.end.then(() => outliving.delete(child));
    },
  };

  /** Decided and done without a pause: there is no moment between "is it busy" and "run". */
  function reserve(request: TurnRequest): Turn {
    const { sessionKey } = request.session;
    const inputId = request.input.id ?? createId();
    const known = pending.get(nameOf(sessionKey, inputId));
    if (known !== undefined) return known.turn;
    const last = newest.get(sessionKey);
    const waiting = lanes.waiting(sessionKey) + (last?.steering.size ?? 0);
    if (waiting >= queuedPerSession) {
      throw new AgentRuntimeError(
        'queue_full',
        `${queuedPerSession} messages wait in this session already. Try again later.`,
        sessionKey,
      );
    }
    const submission = createSubmission(request, inputId);
    remember(submission);
    const joins = request.whenBusy !== 'wait' && last?.agentId === request.agent.id;
    if (joins && last.steering.isOpen) last.join(submission);
    else openTurn(house, submission, []);
    return submission.turn;
  }

  /** A turn that nobody asks for again: the session's own agent, and a message that is stored already. */
  async function goOn(
    sessionKey: string,
    inputOf: (waiting: readonly TurnInput[]) => TurnInput | undefined,
  ): Promise<Turn | undefined> {
    const meta = await backend.meta(sessionKey);
    if (meta === undefined || meta.deletedAt !== undefined || isClosed) return undefined;
    const input = inputOf(waitingInputs(meta.attributes));
    if (input === undefined) return undefined;
    const agent = options.agents?.(meta.agentId, meta);
    if (agent === undefined) {
      logger.warn({ sessionKey, agentId: meta.agentId }, 'A message waits for an agent that is not known.');
      return undefined;
    }
    return reserve({ session: { sessionKey }, input, agent });
  }

  async function recoverOne(open: OpenTurn): Promise<RecoveredTurn> {
    const { input, ...recovered } = await recoverTurn(open, {
      backend,
      journal,
      logger,
      clock,
      createId,
      publish,
    });
    const resumed = options.unfinishedTurns === 'resume' && recovered.interrupted ? input : undefined;
    if (options.agents === undefined) return recovered;
    const goesOn = await goOn(open.sessionKey, (waiting) =>
      resumed === undefined ? waiting[0] : storedInput(resumed),
    ).catch((error: unknown) => {
      logger.warn({ sessionKey: open.sessionKey, error }, 'A turn that was cut off could not go on.');
      return undefined;
    });
    return goesOn === undefined ? recovered : { ...recovered, goesOn };
  }

  return {
    async submit(request) {
      const { session, input } = request;
      if (isClosed) throw closedError(session.sessionKey);
      if (input.text.trim() === '' && (input.media?.length ?? 0) === 0) {
        throw new AgentRuntimeError(
          'invalid_request',
          'The message is empty: neither text nor media.',
          session.sessionKey,
        );
      }
      return reserve(request);
    },
    stop(sessionKey, reason, mode = 'now') {
      const children = [...outliving].filter(([, key]) => key === sessionKey);
      for (const [child] of children) child.stop(reason);
      return (running.get(sessionKey)?.stop(reason, mode) ?? false) || children.length > 0;
    },
    async continue(sessionKey) {
      return newest.get(sessionKey)?.first.turn ?? goOn(sessionKey, ([first]) => first);
    },
    running: (sessionKey) => running.get(sessionKey)?.first.turn,
    active: () =>
      [...running.values()].map(({ first, startedAt = '', steering }) => ({
        turn: first.turn,
        startedAt,
        said: first.said(),
        queued: lanes.waiting(first.turn.sessionKey) + steering.size,
      })),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async recover() {
      const open = await journal.open();
      return Promise.all(
        open.map(
          (turn) =>
            new Promise<RecoveredTurn>((resolve) => {
              lanes.enqueue(turn.sessionKey, async () => resolve(await recoverOne(turn)));
            }),
        ),
      );
    },
    async close({ graceMs = 0 } = {}) {
      isClosed = true;
      const ends = [...pending.values()].map(({ turn }) => turn.outcome as Promise<unknown>);
      const allEnded = Promise.all([...ends, ...[...outliving.keys()].map(({ end }) => end)]);
      let timer: NodeJS.Timeout | undefined;
      const grace = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, graceMs);
      });
      await Promise.race([allEnded, grace]);
      clearTimeout(timer);
      for (const turn of running.values()) turn.stop('The runtime was closed.', 'now', 'interrupted');
      for (const child of outliving.keys()) child.stop('The runtime was closed.');
      await allEnded;
    },
  };
}

function nameOf(sessionKey: string, inputId: string): string {
  return JSON.stringify([sessionKey, inputId]);
}

function waitingInputs(attributes: Parameters<typeof waitingMessages>[0]): readonly TurnInput[] {
  return waitingMessages(attributes).map(inputOf);
}

function storedInput(message: StoredMessage): TurnInput {
  return inputOf({ ...message, content: messageText(message) });
}

function closedError(sessionKey: string): AgentRuntimeError {
  return new AgentRuntimeError('closed', 'The runtime was closed and takes no more turns.', sessionKey);
}
