import {
  isThought,
  type JsonValue,
  type Message,
  messageOrigin,
  messageText,
  type ToolCall,
} from '@x/session-store';
import { excerpt } from '../legal-text.js';

/** `ask`: the person is asked in the chat, and the turn ends with the question. */
export type Permission = 'allow' | 'ask' | 'deny';

export interface PermissionRequest {
  readonly tool: string;
  /** The arguments as the model gave them, not yet judged by the tool's schema. */
  readonly input: { readonly [name: string]: JsonValue };
  readonly sessionKey: string;
}

export type PermissionAnswer = 'once' | 'always';

const ONCE =
  /^(?:yes|y|yep|yeah|ok|okay|sure|allow|allowed|go ahead|do it|please do|yes please|ja|oui|s[ií]|sim|да|はい|是|是的|好|好的|可以|允许|네|예|👍|✅)$/iu;
const ALWAYS =
  /^(?:always|allow always|yes always|immer|toujours|siempre|sempre|всегда|总是|一直允许|いつも|항상)$/iu;
const LONGEST_ARGUMENTS = 1_500;

/** What a person answered to a question for permission; undefined for anything that is not plainly a yes. Pure. */
export function permissionAnswer(text: string): PermissionAnswer | undefined {
  const words = text
    .normalize('NFKC')
    .replace(/[\p{P}\s]+/gu, ' ')
    .trim();
  if (ONCE.test(words)) return 'once';
  return ALWAYS.test(words) ? 'always' : undefined;
}

/** The question, in words of the program and not of the model: what is shown is what will run. */
export function permissionQuestion(calls: readonly ToolCall[]): Message {
  const list = calls.map(
    ({ name, arguments: text }) =>
      `\`${name}\` with \`${excerpt(text.replaceAll('`', "'"), LONGEST_ARGUMENTS)}\``,
  );
  const what = list.length === 1 ? `${list[0]}` : `these:\n${list.map((line) => `- ${line}`).join('\n')}\n`;
  return {
    role: 'assistant',
    content: `May I run ${what}? Answer **yes** to allow it this once, **always** to allow it in this conversation from now on, or tell me what to do instead.`,
    meta: { asksToRun: calls.map(({ name, arguments: text }) => ({ name, arguments: text })) },
  };
}

export interface HeldCalls {
  readonly calls: readonly Omit<ToolCall, 'id'>[];
  readonly answer: PermissionAnswer;
}

/** The calls that the newest message of a history allows: it is a person's yes, directly behind the question. Pure. */
export function allowedCalls(history: readonly Message[]): HeldCalls | undefined {
  const spoken = history.filter((message) => message.role !== 'system' && !isThought(message)).slice(-2);
  const [question, reply] = spoken;
  if (question?.role !== 'assistant' || reply === undefined || messageOrigin(reply) !== 'person')
    return undefined;
  const answer = permissionAnswer(messageText(reply));
  const asked = question.meta?.asksToRun;
  if (answer === undefined || !Array.isArray(asked)) return undefined;
  const calls = asked.flatMap((call: JsonValue) => {
    if (typeof call !== 'object' || call === null || Array.isArray(call)) return [];
    const { name, arguments: text } = call as { readonly [name: string]: JsonValue };
    return typeof name === 'string' && typeof text === 'string' ? [{ name, arguments: text }] : [];
  });
  return calls.length === 0 ? undefined : { calls, answer };
}

/** Where a session keeps the tools that it was always allowed. */
const ATTRIBUTE = 'allowedTools';

export function alwaysAllowed(attributes: { readonly [name: string]: JsonValue }): readonly string[] {
  const kept = attributes[ATTRIBUTE];
  return Array.isArray(kept)
    ? kept.filter((name: JsonValue): name is string => typeof name === 'string')
    : [];
}

export function allowedAttributes(names: readonly string[]): { readonly [name: string]: JsonValue } {
  return { [ATTRIBUTE]: [...new Set(names)] };
}
