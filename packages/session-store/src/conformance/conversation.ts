import type { SessionBackend } from '../backend.js';
import type { Message, StoredMessage } from '../message.js';
import { equal } from './claim.js';
import { snapshot } from './snapshot.js';

export function said(content: string, more: Partial<Message> = {}): Message {
  return { role: 'user', content, ...more };
}

export function answered(content: string, more: Partial<Message> = {}): Message {
  return { role: 'assistant', content, ...more };
}

/** An assistant message without words: it does not count when the last N are kept. */
export const thought: Message = { role: 'assistant', content: '', reasoning: 'hm' };

/** A session with so many messages of a person, `word 1`, `word 2` …. */
export async function conversation(backend: SessionBackend, key: string, words = 0): Promise<void> {
  await backend.ensure(key);
  if (words > 0) await say(backend, key, words);
}

/** Appends so many messages, named on from what the session holds. */
export async function say(backend: SessionBackend, key: string, words: number): Promise<void> {
  const { lastSeq = 0 } = (await backend.meta(key)) ?? {};
  await backend.append(
    key,
    Array.from({ length: words }, (_, index) => said(`word ${lastSeq + index + 1}`)),
  );
}

export function contents(messages: readonly StoredMessage[]): readonly unknown[] {
  return messages.map(({ content }) => content);
}

export function seqs(messages: readonly { readonly seq: number }[]): readonly number[] {
  return messages.map(({ seq }) => seq);
}

export function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}

export function words(from: number, to: number): readonly string[] {
  return range(from, to).map((seq) => `word ${seq}`);
}

/** Whatever it does, the store is afterwards what it was before. */
export async function changesNothing(
  backend: SessionBackend,
  act: () => Promise<unknown>,
  what = 'what is stored',
): Promise<void> {
  const before = await snapshot(backend);
  await act();
  equal(await snapshot(backend), before, what);
}
