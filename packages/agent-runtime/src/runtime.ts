import type { AgentRuntime, AgentRuntimeOptions, RecoveredTurn } from './agent-runtime.js';
import { createCoolDowns } from './cool-downs.js';
import { deferred } from './deferred.js';
import { AgentRuntimeError } from './errors.js';
import { quietLogger, steadyJournal } from './guarded-parts.js';
import { recoverTurn } from './recover-turn.js';
import { createReplayLog } from './replay-log.js';
import { runTurn } from './run-turn.js';
import type { Turn, TurnRequest } from './turn.js';
import type { TurnEvent } from './turn-event.js';
import { createTurnLanes } from './turn-lanes.js';
import type { TurnOutcome } from './turn-outcome.js';
import { turnFailure } from './turn-record.js';
import { TurnStop } from './turn-work.js';

interface Running {
  readonly turn: Turn;
  readonly startedAt: string;
  interrupt(): void;
}

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
  const coolDowns = createCoolDowns(clock);
  const running = new Map<string, Running>();
  /** Running and waiting turns by session and message id: what a repeated submission joins. */
  const pending = new Map<string, Turn>();
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

  function reserve(request: TurnRequest): Turn {
    const { sessionKey } = request.session;
    const turnId = createId();
    const inputId = request.input.id ?? createId();
    const name = JSON.stringify([sessionKey, inputId]);
    const joined = pending.get(name);
    if (joined !== undefined) return joined;
    if (lanes.waiting(sessionKey) >= queuedPerSession) {
      throw new AgentRuntimeError(
        'queue_full',
        `${queuedPerSession} messages wait in this session already. Try again later.`,
        sessionKey,
      );
    }

    const events = createReplayLog<TurnEvent>();
    const stopping = new AbortController();
    const accepted = deferred<{ readonly seq: number; readonly id: string }>();
    // Whoever does not look at it need not handle it.
    accepted.promise.catch(() => {});
    const outcome = deferred<TurnOutcome>();
    let hasEnded = false;

    function end(status: 'stopped' | 'interrupted', reason: string): boolean {
      if (hasEnded || stopping.signal.aborted) return false;
      stopping.abort(new TurnStop(status, reason));
      return true;
    }
    const turn: Turn = {
      id: turnId,
      sessionKey,
      inputId,
      accepted: accepted.promise,
      events,
      outcome: outcome.promise,
      stop: (reason) => end('stopped', reason),
    };
    const onAbort = () => end('stopped', 'The caller aborted the turn.');
    if (request.signal?.aborted) onAbort();
    else request.signal?.addEventListener('abort', onAbort, { once: true });

    function emit(event: TurnEvent): void {
      events.push(event);
      publish(event);
    }
    async function run(): Promise<TurnOutcome> {
      if (isClosed) {
        accepted.reject(closedError(sessionKey));
        return { status: 'interrupted', reply: '', messages: [], steps: 0 };
      }
      running.set(sessionKey, {
        turn,
        startedAt: clock().toISOString(),
        interrupt: () => void end('interrupted', 'The runtime was closed.'),
      });
      return runTurn({
        turnId,
        inputId,
        request,
        signal: stopping.signal,
        backend,
        journal,
        logger,
        clock,
        createId,
        historyMessages: limits.historyMessages ?? 500,
        retryDelayMs: limits.retryDelayMs ?? 500,
        coolDowns,
        onRefusedAliases: complain,
        emit: (event) => emit({ ...event, sessionKey, turnId }),
        accept: accepted.resolve,
        refuse: accepted.reject,
      });
    }

    pending.set(name, turn);
    lanes.enqueue(sessionKey, async () => {
      const ended = await run().catch((error: unknown): TurnOutcome => {
        // `runTurn` answers for everything but its own surroundings, such as a clock that fails.
        logger.warn({ sessionKey, turnId, error }, 'A turn ended in the middle of nowhere.');
        accepted.reject(error);
        return { status: 'failed', reply: '', messages: [], steps: 0, error: turnFailure(error) };
      });
      hasEnded = true;
      running.delete(sessionKey);
      pending.delete(name);
      request.signal?.removeEventListener('abort', onAbort);
      // Last of all, so that whoever hears of the end finds nothing running.
      emit({ type: 'ended', sessionKey, turnId, outcome: ended });
      events.close();
      outcome.resolve(ended);
    });
    return turn;
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
    stop: (sessionKey, reason) => running.get(sessionKey)?.turn.stop(reason) ?? false,
    running: (sessionKey) => running.get(sessionKey)?.turn,
    active: () =>
      [...running.values()].map(({ turn, startedAt }) => ({
        turn,
        startedAt,
        queued: lanes.waiting(turn.sessionKey),
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
              lanes.enqueue(turn.sessionKey, async () => {
                resolve(await recoverTurn(turn, { backend, journal, logger, clock, createId, publish }));
              });
            }),
        ),
      );
    },
    async close({ graceMs = 0 } = {}) {
      isClosed = true;
      const ends = [...pending.values()].map((turn) => turn.outcome);
      const allEnded = Promise.all(ends);
      let timer: NodeJS.Timeout | undefined;
      const grace = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, graceMs);
      });
      await Promise.race([allEnded, grace]);
      clearTimeout(timer);
      for (const { interrupt } of running.values()) interrupt();
      await allEnded;
    },
  };
}

function closedError(sessionKey: string): AgentRuntimeError {
  return new AgentRuntimeError('closed', 'The runtime was closed and takes no more turns.', sessionKey);
}
