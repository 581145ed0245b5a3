import type { LanguageModelV3Prompt } from '@ai-sdk/provider';
import { SUMMARY_INSTRUCTIONS } from '@x/agent-runtime';
import { offlineSummary } from './offline-summary.js';

/** What the offline model does next, judged from the conversation alone: the same conversation, the same answer. */
export type OfflineAnswer =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly overMs?: number;
      readonly failAfterWords?: number;
    }
  | { readonly kind: 'call'; readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly kind: 'fail' | 'garbage' | 'silent' };

const WHO_I_AM =
  "I am Holdfast's built-in offline model: a small set of fixed rules, with no intelligence behind it. Configure a real one to get real answers (an API key in the environment, or `models.default` in `holdfast.config.json`).";

const WHAT_I_CAN = `${WHO_I_AM}

Until then, try these:

- **what time is it**: calls a tool and reads its result
- **remember** *something*, then **what do you remember**, and **forget** *something*
- **what did I say**: lists your earlier messages of this session, and of no other
- \`/slow 10 text\`: streams an answer over ten seconds, so that you can stop it

From a terminal, the same gateway answers as well:

\`\`\`sh
npm run -s holdfast -- chat "what did I say?"
\`\`\``;

/** What the model itself understands behind a slash: no other part of the program answers these. */
export const OFFLINE_COMMANDS: readonly string[] = ['slow', 'fail', 'fail-after', 'garbage', 'silent'];

export function answerOffline(prompt: LanguageModelV3Prompt, tools: ReadonlySet<string>): OfflineAnswer {
  const results = resultsAtTheEnd(prompt);
  if (results.length > 0) return { kind: 'text', text: results.map(wordsForResult).join('\n\n') };
  const said = saidByThePerson(prompt);
  const latest = said.at(-1) ?? '';
  if (prompt[0]?.role === 'system' && prompt[0].content === SUMMARY_INSTRUCTIONS) {
    return { kind: 'text', text: offlineSummary(latest), overMs: 0 };
  }
  return (
    command(latest) ?? toolCall(latest, tools) ?? { kind: 'text', text: words(latest, said.slice(0, -1)) }
  );
}

function command(text: string): OfflineAnswer | undefined {
  const [, name, number, rest = ''] =
    /^\/(slow|fail-after|fail|garbage|silent)\b(?:\s+(\d+))?\s*(.*)$/s.exec(text) ?? [];
  switch (name) {
    case 'slow':
      return { kind: 'text', text: slowWords(rest), overMs: Math.min(Number(number ?? 5), 600) * 1000 };
    case 'fail-after':
      return { kind: 'text', text: slowWords(rest), failAfterWords: Number(number ?? 3) };
    case 'fail':
    case 'garbage':
    case 'silent':
      return { kind: name };
    default:
      return undefined;
  }
}

function slowWords(rest: string): string {
  const subject = rest.trim() === '' ? 'nothing in particular' : rest.trim();
  return `You asked me to take my time over this: ${subject}. So here it comes, one word after the other, until everything has been said and the answer is complete.`;
}

function toolCall(text: string, tools: ReadonlySet<string>): OfflineAnswer | undefined {
  const wish = text.trim();
  const call = (tool: string, input: Readonly<Record<string, unknown>>): OfflineAnswer | undefined =>
    tools.has(tool) ? { kind: 'call', tool, input } : undefined;
  if (/\bwhat time is it\b|\bwhat(?:'s|’s| is) the time\b/i.test(wish)) return call('current_time', {});
  if (/\bwhat do you remember\b|^recall\b/i.test(wish)) {
    const query = /\babout\s+(.+?)\s*\?*$/is.exec(wish)?.[1];
    return call('recall', query === undefined ? {} : { query });
  }
  const gone = /^(?:please\s+)?forget(?:\s*:\s*|\s+(?:that\s+)?)(.+)$/is.exec(wish)?.[1];
  if (gone !== undefined) return call('forget', { text: gone.trim() });
  const skill = /^(?:please\s+)?use\s+the\s+skill\s+(.+)$/is.exec(wish)?.[1];
  if (skill !== undefined) return call('activate_skill', { name: skill.trim() });
  const fact = /^(?:please\s+)?remember(?:\s*:\s*|\s+(?:that\s+)?)(.+)$/is.exec(wish)?.[1];
  return fact === undefined ? undefined : call('remember', { fact: fact.trim() });
}

function words(latest: string, earlier: readonly string[]): string {
  if (/\bwhat did i (?:say|tell you|write)\b/i.test(latest)) return earlierWords(earlier);
  if (/^\/?help\b|\bwho are you\b|\bwhat can you do\b|\bwhat are you\b/i.test(latest)) return WHAT_I_CAN;
  if (earlier.length === 0) return `${quoted(latest)}\n\n${WHO_I_AM} Say **help** to see what I can do.`;
  const count = earlier.length === 1 ? 'one message' : `${earlier.length} messages`;
  return `${quoted(latest)}\n\nBefore that you sent ${count} in this session. (Offline model: ask me **what did I say**.)`;
}

function earlierWords(earlier: readonly string[]): string {
  if (earlier.length === 0) return 'Nothing yet: this is your first message in this session.';
  return `In this session you said:\n\n${earlier.map((text, index) => `${index + 1}. ${oneLine(text)}`).join('\n')}`;
}

function quoted(text: string): string {
  return `You said: ${oneLine(text)}`;
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

function saidByThePerson(prompt: LanguageModelV3Prompt): string[] {
  return prompt.flatMap((message) =>
    message.role === 'user'
      ? [message.content.map((part) => (part.type === 'text' ? part.text : `[${part.mediaType}]`)).join(' ')]
      : [],
  );
}

function resultsAtTheEnd(prompt: LanguageModelV3Prompt): { tool: string; text: string }[] {
  const results: { tool: string; text: string }[] = [];
  for (const message of prompt.toReversed()) {
    if (message.role !== 'tool') break;
    for (const part of message.content.toReversed()) {
      if (part.type !== 'tool-result') continue;
      const { output } = part;
      const text =
        output.type === 'execution-denied'
          ? (output.reason ?? 'The call was denied.')
          : typeof output.value === 'string'
            ? output.value
            : JSON.stringify(output.value);
      results.unshift({ tool: part.toolName, text });
    }
  }
  return results;
}

function wordsForResult({ tool, text }: { tool: string; text: string }): string {
  if (tool === 'current_time') return `It is ${text}.`;
  if (tool === 'remember') return `${text} Ask me **what do you remember** at any time.`;
  return text;
}
