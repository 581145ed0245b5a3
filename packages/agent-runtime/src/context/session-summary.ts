import type { Message } from '@x/session-store';
import { ModelFailure } from '../model-failure.js';
import type { ModelPrompt } from '../model-messages.js';
import type { ModelStep } from '../model-step.js';
import { shortenedText } from './fitted-history.js';
import { summaryFlaw, summaryRequest, toldMessage } from './summary-request.js';
import type { CountTokens } from './token-count.js';

export interface SummaryWork {
  /** The part that becomes a summary, oldest first. */
  readonly messages: readonly Message[];
  /** What was summarised before. */
  readonly earlier: string;
  /** What one request may take of the conversation. */
  readonly tokens: number;
  readonly countTokens: CountTokens;
  readonly ask: (prompt: ModelPrompt) => Promise<ModelStep>;
}

/**
 * The summary of a part of a history, with all that the earlier one held. Written piece by piece where the part is
 * longer than a request may be. Rejects where any piece fails: half a summary would lose the other half.
 */
export async function writeSummary(work: SummaryWork): Promise<string> {
  let summary = work.earlier;
  for (const piece of piecesOf(work)) {
    const step = await work.ask(summaryRequest(summary, piece));
    const flaw = summaryFlaw(step);
    if (flaw !== undefined) throw new ModelFailure('model_failed', flaw);
    summary = step.text.trim();
  }
  return summary;
}

function piecesOf({ messages, tokens, countTokens }: SummaryWork): readonly string[] {
  const pieces: string[][] = [];
  let left = 0;
  for (const message of messages) {
    const told = toldMessage(message);
    if (told === '') continue;
    const text = withinTokens(told, tokens, countTokens);
    const size = countTokens(text);
    if (pieces.length === 0 || size > left) {
      pieces.push([]);
      left = tokens;
    }
    pieces.at(-1)?.push(text);
    left -= size;
  }
  return pieces.map((texts) => texts.join('\n\n'));
}

function withinTokens(text: string, tokens: number, countTokens: CountTokens): string {
  const size = countTokens(text);
  return size <= tokens ? text : shortenedText(text, Math.floor((text.length * tokens) / size));
}
