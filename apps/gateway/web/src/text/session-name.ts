import type { Session } from '../api/shapes.js';
import { randomId } from '../state/random-id.js';
import { channelLabel } from './channel-label.js';

const generated = /^chat-[0-9a-f]{32}$/;

/** A name for a chat about to begin, unlike any other; people never see it. */
export function newChatName(): string {
  return `chat-${randomId()}`;
}

export function isGeneratedName(name: string): boolean {
  return generated.test(name);
}

/** A title from a chat's first message: its first line, cut at a word. */
export function titleFrom(text: string): string {
  const line = text.trim().split('\n')[0]?.replace(/\s+/g, ' ').trim() ?? '';
  if (line.length <= 60) return line || 'New chat';
  const cut = line.slice(0, 60);
  const space = cut.lastIndexOf(' ');
  return `${space > 30 ? cut.slice(0, space) : cut}…`;
}

/** The beginning of the last message in one line, without Markdown's marks. */
export function plainPreview(session: Session): string {
  return (session.preview ?? '')
    .replace(/[`*_#>|~]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** What a session is called where it has no title: by what was said, or by whom it is with. */
export function sessionName(session: Session): string {
  if (session.title && !isGeneratedName(session.title)) return session.title;
  const alias = session.aliases.find((name) => !name.endsWith(':main') && !isGeneratedName(name));
  const partner = alias?.split(':').at(-1);
  if (partner) return `${channelLabel(session.channel)} · ${partner}`;
  const preview = plainPreview(session);
  if (preview !== '') return titleFrom(preview);
  return `${channelLabel(session.channel)} conversation`;
}
