import { isThought, type Message, messageText, type ToolCall } from '@x/session-store';
import type { AssistantModelMessage, ModelMessage, ToolModelMessage, UserModelMessage } from 'ai';
import { requestIds, requestName } from './call-names.js';
import { wellFormed } from './legal-text.js';
import { legalArguments } from './tool-arguments.js';
import { INTERRUPTED_RESULT } from './turn-state.js';

/** What a model is called with: the system text apart, since not every provider takes it among the messages. */
export interface ModelPrompt {
  readonly system: string;
  readonly messages: ModelMessage[];
}

/**
 * The history as any provider takes it, whatever cuts, crashes, imports or a model's mistakes made of it:
 * - each tool call is answered exactly once, directly after its message; a missing result says that the call was
 *   interrupted, a result without a call is left out, and ids count within one message's calls only;
 * - ids are unique in the request and of `[A-Za-z0-9_-]`, arguments are JSON objects, texts are not empty;
 * - it begins with a user, ends with a user or a tool, and nobody speaks twice in a row;
 * - system messages and the summary go to the system text, thoughts to nobody.
 * Pure; what is stored stays as it is.
 */
export function modelMessages(system: string, summary: string, history: readonly Message[]): ModelPrompt {
  const messages: ModelMessage[] = [];
  const systemTexts = [system];
  const newId = requestIds();

  for (let index = 0; index < history.length; index += 1) {
    const message = history[index];
    if (message === undefined || isThought(message)) continue;
    if (message.role === 'system') systemTexts.push(messageText(message));
    if (message.role === 'user') addUser(messages, userParts(message));
    if (message.role !== 'assistant') continue;
    const calls = message.toolCalls ?? [];
    const ids = calls.map((call) => newId(call.id));
    addAssistant(messages, message, calls, ids);
    if (calls.length > 0) messages.push(results(calls, ids, resultsBehind(history, index)));
  }
  if (isUnfinishedAnswer(messages, history)) messages.pop();
  if (messages.at(-1)?.role === 'assistant') addUser(messages, [{ type: 'text', text: '[Go on.]' }]);

  if (summary.trim() !== '') systemTexts.push(summaryText(summary));
  const distinct = [...new Set(systemTexts.map((text) => wellFormed(text).trim()))];
  return { system: distinct.filter((text) => text !== '').join('\n\n'), messages };
}

type UserPart = Exclude<UserModelMessage['content'], string>[number];
type AssistantPart = Exclude<AssistantModelMessage['content'], string>[number];

function addUser(messages: ModelMessage[], parts: readonly UserPart[]): void {
  if (parts.length === 0) return;
  const last = messages.at(-1);
  if (last?.role === 'user' && typeof last.content !== 'string') last.content.push(...parts);
  else messages.push({ role: 'user', content: [...parts] });
}

function addAssistant(
  messages: ModelMessage[],
  message: Message,
  calls: readonly ToolCall[],
  ids: readonly string[],
): void {
  const parts: AssistantPart[] = [...textParts(message)];
  calls.forEach((call, place) => {
    const toolCallId = ids[place] ?? call.id;
    const input = legalArguments(call.arguments);
    parts.push({ type: 'tool-call', toolCallId, toolName: requestName(call.name), input });
  });
  if (parts.length === 0) return;
  const last = messages.at(-1);
  if (last === undefined) addUser(messages, [{ type: 'text', text: '[Earlier messages are not shown.]' }]);
  if (last?.role === 'assistant' && typeof last.content !== 'string') last.content.push(...parts);
  else messages.push({ role: 'assistant', content: parts });
}

/** The tool messages up to the next answer: a message of a person may have come in between. */
function resultsBehind(history: readonly Message[], index: number): readonly Message[] {
  const found: Message[] = [];
  for (let at = index + 1; at < history.length; at += 1) {
    const message = history[at];
    if (message === undefined) continue;
    if (message.role === 'assistant' && !isThought(message)) break;
    if (message.role === 'tool') found.push(message);
  }
  return found;
}

/** Where a block uses one id twice, the first result answers the first call. */
function results(
  calls: readonly ToolCall[],
  ids: readonly string[],
  found: readonly Message[],
): ToolModelMessage {
  const unused = [...found];
  return {
    role: 'tool',
    content: calls.map((call, place) => {
      const at = unused.findIndex((message) => message.toolCallId === call.id);
      const result = at < 0 ? undefined : unused.splice(at, 1)[0];
      const text = result === undefined ? INTERRUPTED_RESULT : wellFormed(messageText(result));
      return {
        type: 'tool-result',
        toolCallId: ids[place] ?? call.id,
        toolName: requestName(call.name),
        output: {
          type: result === undefined || result.meta?.status !== undefined ? 'error-text' : 'text',
          value: text.trim() === '' ? '(no output)' : text,
        },
      };
    }),
  };
}

/** Half an answer at the very end is about to be given anew: shown, it would read as the beginning of the next. */
function isUnfinishedAnswer(messages: readonly ModelMessage[], history: readonly Message[]): boolean {
  if (messages.length < 2 || messages.at(-1)?.role !== 'assistant') return false;
  const status = history.findLast((message) => message.role !== 'system' && !isThought(message))?.meta
    ?.status;
  return status === 'interrupted' || status === 'failed';
}

function userParts(message: Message): readonly UserPart[] {
  return [...textParts(message), ...mediaReferences(message).map(mediaPart)];
}

function textParts(message: Message): readonly { type: 'text'; text: string }[] {
  const texts = [wellFormed(messageText(message))];
  if (message.role === 'assistant') texts.push(...mediaReferences(message).map(named));
  return texts.filter((text) => text.trim() !== '').map((text) => ({ type: 'text', text }));
}

function mediaReferences(message: Message): readonly string[] {
  const inContent =
    typeof message.content === 'string'
      ? []
      : message.content.flatMap((part) => (part.url === undefined ? [] : [part.url]));
  return [...(message.media ?? []), ...inContent];
}

const IMAGE_DATA = /^data:(image\/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/]+=*)$/;
const IMAGE_URL = /^https?:\/\/[^\s]+\.(png|jpe?g|gif|webp)(?:[?#]|$)/i;

function mediaPart(reference: string): UserPart {
  const inline = IMAGE_DATA.exec(reference);
  if (inline?.[1] !== undefined && inline[2] !== undefined) {
    return { type: 'image', image: inline[2], mediaType: inline[1] };
  }
  if (IMAGE_URL.test(reference) && URL.canParse(reference))
    return { type: 'image', image: new URL(reference) };
  return { type: 'text', text: named(reference) };
}

function named(reference: string): string {
  const shown = reference.startsWith('data:') ? reference.slice(0, reference.search(/[;,]|$/)) : reference;
  return wellFormed(`[media: ${shown}]`);
}

function summaryText(summary: string): string {
  return `What was said before the messages below, in short. It is over and done with; it is context, not a task:\n${wellFormed(summary)}`;
}
