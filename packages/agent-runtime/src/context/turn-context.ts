import { type Message, SessionStoreError } from '@x/session-store';
import type { AgentModel } from '../agent-model.js';
import { askChain } from '../model-chain.js';
import { ModelFailure } from '../model-failure.js';
import { type ModelPrompt, modelMessages } from '../model-messages.js';
import type { Transcript } from '../transcript.js';
import type { TurnRecord } from '../turn-record.js';
import type { TurnWork } from '../turn-work.js';
import { addedUsage } from '../usage.js';
import { type ContextLimits, contextLimits } from './context-settings.js';
import { fittedHistory } from './fitted-history.js';
import { messageMeasure } from './message-size.js';
import { writeSummary } from './session-summary.js';
import { summaryCut } from './summary-cut.js';
import { keepSummary } from './summary-keeping.js';
import { type CountTokens, estimateTokens, tokenCounter } from './token-count.js';

/** What the models of one turn are shown of its session. */
export interface TurnContext {
  /** The conversation, as much of it as this model takes; `unstored` follows it for this request only. */
  prompt(model: AgentModel, unstored?: readonly Message[]): Promise<ModelPrompt>;
  /** Summarises the older part where that is due. A summary that fails changes nothing but says so. */
  summariseWhenDue(): Promise<void>;
  /** After a model has refused the conversation for its length: less of it from now on. False where that is not allowed. */
  relieve(): Promise<boolean>;
}

export interface ContextGround {
  readonly transcript: Transcript;
  readonly system: string;
  readonly summary: string;
  readonly cutoff: number;
  /** The turn's models, in the order in which they are tried. */
  readonly models: readonly AgentModel[];
}

/** An exact count is loaded and taken only from this share of the room on: below it, the estimate is near enough. */
const EXACT_FROM_SHARE = 0.4;
/** One request for a summary takes this share of the room. */
const SUMMARY_SHARE = 0.6;

export function openTurnContext(work: TurnWork, ground: ContextGround, record: TurnRecord): TurnContext {
  const { transcript, system, models } = ground;
  const { agent, session } = work.request;
  const tools = JSON.stringify(agent.tools.map(({ name, description }) => [name, description]));
  const measures = new Map<CountTokens, ReturnType<typeof messageMeasure>>();
  let { summary, cutoff } = ground;
  /** What a refusal has taught about the window, whatever was configured. */
  let learnedTokens = Number.POSITIVE_INFINITY;
  let sentTokens = 0;
  let hasFailed = false;

  function limitsOf(model: AgentModel): ContextLimits {
    return contextLimits(agent.context, model.windowTokens);
  }

  function measureOf(countTokens: CountTokens) {
    const measure = measures.get(countTokens) ?? messageMeasure(countTokens);
    measures.set(countTokens, measure);
    return measure;
  }

  /** What the history may take, and how it is measured. */
  async function roomOf(model: AgentModel) {
    const limits = limitsOf(model);
    const taken = (countTokens: CountTokens) =>
      countTokens(system) + countTokens(summary) + countTokens(tools) * 2;
    const tokensWith = (countTokens: CountTokens) =>
      Math.max(1, Math.min(limits.windowTokens - limits.answerTokens - taken(countTokens), learnedTokens));
    const estimated = sizeOf(transcript.history(), measureOf(estimateTokens));
    const isNear = estimated > tokensWith(estimateTokens) * EXACT_FROM_SHARE;
    const countTokens = isNear ? await tokenCounter(model.modelName) : estimateTokens;
    return { limits, countTokens, measure: measureOf(countTokens), tokens: tokensWith(countTokens) };
  }

  async function summarise(isForced: boolean): Promise<void> {
    if (hasFailed) return;
    const room = await roomOf(agent);
    if (!room.limits.automatic) return;
    const history = transcript.history();
    // What the turn itself has said may still be taken back: it stays as it is.
    const own = history.findIndex(({ id }) => id === work.inputId);
    const cut = summaryCut(history, room, { isForced, ...(own < 0 ? {} : { latest: own }) });
    const older = history.slice(0, cut ?? 0);
    const throughSeq = older.at(-1)?.seq;
    if (throughSeq === undefined) return;
    work.emit({ type: 'summary', phase: 'start', throughSeq });
    try {
      const written = await writeSummary({
        messages: older,
        earlier: summary,
        tokens: Math.floor(room.tokens * SUMMARY_SHARE),
        countTokens: room.countTokens,
        ask: askForSummary,
      });
      const after = await keepSummary({
        backend: work.backend,
        sessionKey: session.sessionKey,
        older,
        kept: history.slice(older.length),
        written,
        before: { cutoff, summary },
        append: (message) => transcript.append(message),
      });
      transcript.forget(throughSeq);
      ({ summary, cutoff } = after);
      work.emit({ type: 'summary', phase: 'end', throughSeq, summary: written });
    } catch (error) {
      work.signal.throwIfAborted();
      hasFailed = true;
      const why =
        error instanceof ModelFailure || error instanceof SessionStoreError ? error.message : 'It failed.';
      work.logger.warn(
        { sessionKey: session.sessionKey, turnId: work.turnId, why },
        'A summary came to nothing.',
      );
      work.emit({ type: 'summary', phase: 'failed', throughSeq, error: why });
    }
  }

  async function askForSummary(prompt: ModelPrompt) {
    const step = await askChain({
      ...chainParts(work),
      models,
      tools: [],
      prompt: async () => prompt,
      onText: () => {},
    });
    record.usage = addedUsage(record.usage, step.usage);
    return step;
  }

  return {
    async prompt(model, unstored = []) {
      const room = await roomOf(model);
      const history = [...transcript.history(), ...unstored];
      const shown = fittedHistory(history, { ...room, mayLeaveOut: room.limits.automatic });
      sentTokens = sizeOf(shown, room.measure);
      return modelMessages(system, summary, shown);
    },
    summariseWhenDue: () => summarise(false),
    async relieve() {
      if (!contextLimits(agent.context).automatic) return false;
      learnedTokens = Math.max(1, Math.floor(sentTokens / 2));
      await summarise(true);
      return true;
    },
  };
}

/** What every chain of a turn shares. */
export function chainParts(work: TurnWork) {
  return {
    signal: work.signal,
    timeoutMs: work.request.agent.stepTimeoutMs ?? 120_000,
    retryDelayMs: work.retryDelayMs,
    coolDowns: work.coolDowns,
    onFallback: (next: AgentModel, failure: ModelFailure) =>
      work.emit({ type: 'model', phase: 'fallback', modelName: next.modelName, reason: failure.message }),
  };
}

function sizeOf(messages: readonly Message[], measure: (message: Message) => number): number {
  return messages.reduce((sum, message) => sum + measure(message), 0);
}
