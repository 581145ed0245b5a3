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

/** What a session is called: by its title, else by whom it is with, else by what was said. Its channel is shown beside it. */
export function sessionName(session: Session): string {
  if (session.title && !isGeneratedName(session.title)) return session.title;
  const partner = partnerOf(session);
  if (partner !== undefined) return partner;
  const preview = plainPreview(session);
  if (preview !== '') return titleFrom(preview);
  if (session.key.endsWith(':main')) return 'Main conversation';
  return `${channelLabel(session.channel)} conversation`;
}

/** The chat or person that an older name ends with: `agent:main:telegram:direct:4711` is with 4711. */
function partnerOf({ key, aliases }: Session): string | undefined {
  const names = key.startsWith('agent:') ? [...aliases, key] : aliases;
  const name = names.find((one) => !one.endsWith(':main') && !isGeneratedName(one));
  return name?.split(':').at(-1) || undefined;
}
