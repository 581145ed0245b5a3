import { createMemoryBackend, type SessionBackend, type StoredMessage } from '@x/session-store';
import {
  type AgentRuntime,
  type AgentRuntimeOptions,
  type AgentSpec,
  createAgentRuntime,
  type OpenTurn,
  type Turn,
  type TurnEvent,
  type TurnInput,
  type TurnJournal,
} from '../src/index.js';

/** A runtime over a memory backend, with ids that count, and short ways to say and to read. */
export interface Stage {
  readonly runtime: AgentRuntime;
  readonly backend: SessionBackend;
  readonly warnings: readonly string[];
  /** For a turn of its own. */
  say(agent: AgentSpec, input: string | TurnInput, sessionKey?: string): Promise<Turn>;
  /** For the turn that runs, if one does. */
  steer(agent: AgentSpec, input: string | TurnInput, sessionKey?: string): Promise<Turn>;
  history(sessionKey?: string): Promise<readonly StoredMessage[]>;
}

export function createStage(options: Partial<AgentRuntimeOptions> = {}): Stage {
  const backend = options.backend ?? createMemoryBackend();
  const warnings: string[] = [];
  let count = 0;
  const runtime = createAgentRuntime({
    backend,
    createId: () => `id${++count}`,
    clock: () => new Date(1_700_000_000_000 + count),
    logger: { warn: (_facts, sentence) => warnings.push(sentence) },
    ...options,
    limits: { retryDelayMs: 1, ...options.limits },
  });
  const submit = (
    agent: AgentSpec,
    input: string | TurnInput,
    sessionKey: string,
    whenBusy: 'join' | 'wait',
  ) =>
    runtime.submit({
      session: { sessionKey },
      input: typeof input === 'string' ? { text: input } : input,
      agent,
      whenBusy,
    });
  return {
    runtime,
    backend,
    warnings,
    say: (agent, input, sessionKey = 's1') => submit(agent, input, sessionKey, 'wait'),
    steer: (agent, input, sessionKey = 's1') => submit(agent, input, sessionKey, 'join'),
    history: (sessionKey = 's1') => backend.read(sessionKey, { segment: 'all' }),
  };
}

export function agentWith(model: AgentSpec['model'], more: Partial<AgentSpec> = {}): AgentSpec {
  return { id: 'main', system: 'You are a test.', model, modelName: 'scripted', tools: [], ...more };
}

export async function eventsOf(turn: Turn): Promise<readonly TurnEvent[]> {
  const events: TurnEvent[] = [];
  for await (const event of turn.events) events.push(event);
  return events;
}

/** Waits until the turn has said so much. */
export async function untilSaid(turn: Turn, text: string): Promise<void> {
  let said = '';
  for await (const event of turn.events) {
    if (event.type === 'token') said += event.text;
    if (said.includes(text)) return;
  }
  throw new Error(`The turn ended without saying "${text}": it said "${said}".`);
}

/** Role and text, status behind it: what a story reads like. */
export function told(messages: readonly StoredMessage[]): readonly string[] {
  return messages.map(({ role, content, toolCalls, meta }) => {
    const calls = toolCalls === undefined ? '' : ` → ${toolCalls.map(({ name }) => name).join(', ')}`;
    const status = meta?.status === undefined ? '' : ` [${String(meta.status)}]`;
    return `${role}: ${String(content)}${calls}${status}`;
  });
}

/** A journal in memory, which outlives the runtime that a test gives up. */
export function createMemoryJournal(): TurnJournal & { readonly turns: Map<string, OpenTurn> } {
  const turns = new Map<string, OpenTurn>();
  return {
    turns,
    begin: async (turn) => void turns.set(turn.turnId, turn),
    progress(turnId, partial) {
      const turn = turns.get(turnId);
      if (turn !== undefined) turns.set(turnId, { ...turn, partial });
    },
    end: async (turnId) => void turns.delete(turnId),
    open: async () => [...turns.values()],
  };
}

/** A backend that a kill cuts off: from then on no call comes back, and none arrives. */
export function killable(backend: SessionBackend): { readonly backend: SessionBackend; kill(): void } {
  let isDead = false;
  return {
    kill: () => {
      isDead = true;
    },
    backend: new Proxy(backend, {
      get(target, name, receiver) {
        const value: unknown = Reflect.get(target, name, receiver);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) =>
          isDead ? new Promise(() => {}) : Reflect.apply(value, target, given);
      },
    }),
  };
}
