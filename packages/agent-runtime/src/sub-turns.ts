import type { AgentSpec, SubTurnRequest, SubTurnResult } from './agent.js';
import { createEphemeralBackend } from './ephemeral-session-store.js';
import { createRoom } from './room.js';
import { createSteeringQueue } from './steering-queue.js';
import type { TurnEvent } from './turn-event.js';
import type { TurnOutcome } from './turn-outcome.js';
import { createTurnStopping, TurnStop, type TurnStopping } from './turn-stopping.js';
import type { OwnSubTurns, ReservedWork, Unaddressed } from './turn-work.js';
import { addedUsage, type StepUsage } from './usage.js';

const DEEPEST = 3;
const AT_ONCE = 5;
const WAIT_MS = 30_000;
const TIMEOUT_MS = 300_000;
/** Results that wait to join. */
const MOST_RESULTS = 16;
const NOTE =
  'You do one task for another agent, which alone sees your answer: give the result itself, whole and short. There is nobody to ask.';

interface Child {
  readonly id: string;
  readonly request: SubTurnRequest;
  readonly stopping: TurnStopping;
}

export function createSubTurns(work: ReservedWork): OwnSubTurns {
  const { agent } = work.request;
  const room = createRoom(AT_ONCE);
  const children = new Map<Child, Promise<void>>();
  let taken: StepUsage | undefined;
  let hasLeft = false;

  // Whatever ends the turn from outside ends all that runs in it.
  work.signal.addEventListener(
    'abort',
    () => {
      for (const { stopping } of children.keys()) stopping.stop(asError(work.signal.reason), 'now');
    },
    { once: true },
  );

  async function carryOut(child: Child): Promise<SubTurnResult> {
    const { id, request, stopping } = child;
    const timeoutMs = request.timeoutMs ?? TIMEOUT_MS;
    work.emit({ type: 'sub_turn', phase: 'start', id, task: request.task, depth: work.depth + 1 });
    const late = () => new Error(`${AT_ONCE} sub-turns run already, and none ended within ${WAIT_MS} ms.`);
    let result: SubTurnResult;
    try {
      const leave = await room.enter(WAIT_MS, late, stopping.signal);
      const timer = setTimeout(
        () => stopping.stop(new TurnStop('stopped', `It took longer than ${timeoutMs} ms.`), 'now'),
        timeoutMs,
      );
      try {
        const outcome = await work.runNested(nestedWork(child));
        taken = addedUsage(taken, outcome.usage);
        result = { id, status: outcome.status, text: textOf(outcome, stopping) };
      } finally {
        clearTimeout(timer);
        leave();
      }
    } catch (error) {
      result = { id, status: stopping.signal.aborted ? 'stopped' : 'failed', text: asError(error).message };
    }
    work.emit({ type: 'sub_turn', phase: 'end', ...result });
    return result;
  }

  function nestedWork({ id, request, stopping }: Child): ReservedWork {
    const sessionKey = `sub-turn:${id}`;
    const backend = createEphemeralBackend();
    const steering = createSteeringQueue({ ...work, backend, sessionKey });
    return {
      ...work,
      turnId: id,
      inputId: work.createId(),
      request: { session: { sessionKey }, input: { text: request.task }, agent: nestedAgent(agent, request) },
      stopping,
      signal: stopping.signal,
      steering,
      backend,
      journal: NO_JOURNAL,
      depth: work.depth + 1,
      emit: (event) => forward(id, event),
      accept() {},
      refuse() {},
      handOver: () => undefined,
    };
  }

  function forward(id: string, event: Unaddressed<TurnEvent>): void {
    if (event.type === 'sub_turn') work.emit(event);
    if (event.type === 'token' || event.type === 'tool')
      work.emit({ type: 'sub_turn', phase: 'event', id, event });
  }

  function open(request: SubTurnRequest): Child {
    if (work.depth >= DEEPEST) throw new Error(`Sub-turns are nested at most ${DEEPEST} deep.`);
    if (hasLeft) throw new Error('The turn has ended.');
    return { id: work.createId(), request, stopping: createTurnStopping() };
  }

  /** What nobody waits for joins the turn, or is told to whoever listens. */
  function deliver(result: SubTurnResult): void {
    const { steering } = work;
    if (hasLeft || !steering.isOpen || steering.results >= MOST_RESULTS) {
      work.emit({ type: 'sub_turn', phase: 'orphaned', ...result });
      return;
    }
    const told = result.status === 'done' ? result.text : `(${result.status}) ${result.text}`;
    const message = {
      id: `result-${result.id}`,
      role: 'user' as const,
      content: `[SubTurn Result] ${result.id}: ${told}`,
      meta: { origin: 'sub-turn', subTurn: result.id },
    };
    steering.offer({ message, from: 'sub-turn', isKept: false });
  }

  function track(child: Child, end: Promise<unknown>): void {
    children.set(
      child,
      end.then(
        () => void children.delete(child),
        () => void children.delete(child),
      ),
    );
  }

  return {
    async run(request, signal) {
      const child = open(request);
      const onAbort = () => child.stopping.stop(asError(signal?.reason), 'now');
      signal?.addEventListener('abort', onAbort, { once: true });
      if (signal?.aborted) onAbort();
      try {
        const end = carryOut(child);
        track(child, end);
        return await end;
      } finally {
        signal?.removeEventListener('abort', onAbort);
      }
    },
    start(request) {
      const child = open(request);
      track(child, carryOut(child).then(deliver));
      return child.id;
    },
    usage: () => taken,
    leave() {
      hasLeft = true;
      for (const [{ request, stopping }, end] of children) {
        if (request.isCritical === true && !work.signal.aborted) {
          work.onOutlive({
            end,
            stop: (reason) => void stopping.stop(new TurnStop('stopped', reason), 'now'),
          });
        } else {
          stopping.stop(new TurnStop('stopped', 'The turn that it belonged to has ended.'), 'now');
        }
      }
    },
  };
}

function nestedAgent(agent: AgentSpec, request: SubTurnRequest): AgentSpec {
  const { light: _chosenByTask, prompt: _personal, permit, ...rest } = agent;
  const system = request.system ?? agent.system;
  return {
    ...rest,
    ...request.model,
    ...(request.model === undefined ? {} : { fallbacks: [] }),
    system: async (context) => `${typeof system === 'string' ? system : await system(context)}\n\n${NOTE}`,
    tools: request.tools ?? agent.tools,
    context: { summariseAtShare: 0.75, ...agent.context },
    // There is nobody to ask.
    ...(permit === undefined
      ? {}
      : { permit: async (call) => ((await permit(call)) === 'allow' ? 'allow' : 'deny') }),
  };
}

function textOf(outcome: TurnOutcome, { signal }: TurnStopping): string {
  if (outcome.status === 'done') return outcome.reply;
  if (outcome.error !== undefined) return outcome.error.message;
  return signal.aborted ? asError(signal.reason).message : 'It ended without an answer.';
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

const NO_JOURNAL = { begin: async () => {}, progress() {}, end: async () => {}, open: async () => [] };
