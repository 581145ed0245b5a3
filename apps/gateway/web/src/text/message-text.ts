import type { Message } from '../api/shapes.js';

/** The text of a message: its content, or its text parts one under the other. */
export function messageText(message: Message): string {
  if (typeof message.content === 'string') return message.content;
  return message.content.flatMap((part) => part.text ?? []).join('\n');
}

/** What a message carries beside its text, by name. */
export function attachments(message: Message): string[] {
  const parts = typeof message.content === 'string' ? [] : message.content;
  const named = parts.flatMap((part) => (part.type === 'text' ? [] : [part.name ?? part.url ?? part.type]));
  return [...named, ...(message.media ?? [])];
}
