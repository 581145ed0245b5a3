import { messageOrigin, type SessionBackend } from '@x/session-store';
import type { AgentSpec } from '../agent.js';
import { createCoolDowns } from '../cool-downs.js';
import { askChain } from '../model-chain.js';
import { addSessionUsage } from '../session-usage.js';
import { addedUsage, type StepUsage } from '../usage.js';
import { contextLimits } from './context-settings.js';
import { cutPoints } from './cut-points.js';
import { writeSummary } from './session-summary.js';
import { keepSummary } from './summary-keeping.js';
import { tokenCounter } from './token-count.js';

export interface SessionToSummarise {
  readonly backend: SessionBackend;
  readonly sessionKey: string;
  /** Its model writes, its fallbacks where that fails. */
  readonly agent: AgentSpec;
  /** The newest turns of a person that stay word for word. Default 2. */
  readonly keepTurns?: number;
  readonly signal?: AbortSignal;
}

export interface SummarisedSession {
  readonly summary: string;
  /** How many messages it stands for. */
  readonly messages: number;
}

const SUMMARY_SHARE = 0.6;
const RETRY_DELAY_MS = 500;

/**
 * Puts the older part of a session into its summary, whatever its length; undefined where there is nothing to put. For
 * a session whose turn does not run: one that does would go on with what it has read. Rejects with a sentence that is
 * safe to show, and everything is as it was.
 */
export async function summariseSession(wanted: SessionToSummarise): Promise<SummarisedSession | undefined> {
  const { backend, sessionKey, agent, keepTurns = 2, signal = new AbortController().signal } = wanted;
  const before = await backend.meta(sessionKey);
  if (before === undefined) return undefined;
  const active = await backend.read(sessionKey);
  const turns = active.flatMap((message, index) => (messageOrigin(message) === 'person' ? [index] : []));
  const latest = turns.at(-keepTurns) ?? 0;
  const cut = cutPoints(active).findLast((point) => point <= latest) ?? 0;
  const older = active.slice(0, cut);
  if (older.every(({ role }) => role === 'system')) return undefined;

  const limits = contextLimits(agent.context, agent.windowTokens);
  let taken: StepUsage | undefined;
  try {
    const written = await writeSummary({
      messages: older,
      earlier: before.summary,
      tokens: Math.floor((limits.windowTokens - limits.answerTokens) * SUMMARY_SHARE),
      countTokens: await tokenCounter(agent.modelName),
      async ask(prompt) {
        const step = await askChain({
          models: [agent, ...(agent.fallbacks ?? [])],
          prompt: async () => prompt,
          tools: [],
          signal,
          timeoutMs: agent.stepTimeoutMs ?? 120_000,
          retryDelayMs: RETRY_DELAY_MS,
          coolDowns: createCoolDowns(() => new Date()),
          onText: () => {},
          onFallback: () => {},
        });
        taken = addedUsage(taken, step.usage);
        return step;
      },
    });
    await keepSummary({
      backend,
      sessionKey,
      older,
      kept: active.slice(cut),
      written,
      before,
      append: (message) => backend.append(sessionKey, [message]),
    });
    return { summary: written, messages: older.length };
  } finally {
    if (taken !== undefined) await addSessionUsage(backend, sessionKey, taken);
  }
}
