import { defineTool, type Tool } from '@x/agent-runtime';
import { messageText, type SessionBackend, type StoredMessage } from '@x/session-store';
import { z } from 'zod';

const PAGE = 250;
/** Looked through from the newest on; further back than that, a search takes too long to be waited for. */
const MOST_MESSAGES = 10_000;
const AROUND = 200;

/** Finds earlier words of the conversation it is called in, and of no other: those before a summary or a reset too. */
export function sessionSearchTool(backend: SessionBackend): Tool {
  return defineTool({
    name: 'session_search',
    description:
      'Searches this conversation, its older parts included that you no longer see, for a word or phrase. Gives the newest places first.',
    inputSchema: z.object({
      text: z.string().trim().min(2).max(200).describe('Found in any case, as it is written.'),
      limit: z.int().min(1).max(50).default(10),
    }),
    runsBesideOthers: true,
    async execute({ text, limit }, { sessionKey, signal }) {
      const wanted = folded(text);
      const found: string[] = [];
      let before: number | undefined;
      for (let seen = 0; seen < MOST_MESSAGES && found.length < limit; seen += PAGE) {
        signal.throwIfAborted();
        const range = { segment: 'all', order: 'desc', limit: PAGE } as const;
        const page = await backend.read(sessionKey, before === undefined ? range : { ...range, before });
        for (const message of page) {
          const place = placeIn(message, wanted);
          if (place !== undefined && found.length < limit) found.push(place);
        }
        before = page.at(-1)?.seq;
        if (page.length < PAGE) break;
      }
      return found.length === 0 ? 'Nothing was found.' : found.join('\n\n');
    },
  });
}

/** What a search itself asked or answered is not looked for: it would find itself. */
function placeIn(message: StoredMessage, wanted: string): string | undefined {
  if (message.role !== 'user' && message.role !== 'assistant') return undefined;
  const text = messageText(message).normalize('NFC');
  const at = folded(text).indexOf(wanted);
  if (at < 0) return undefined;
  const from = Math.max(0, at - AROUND);
  const to = Math.min(text.length, at + wanted.length + AROUND);
  const excerpt = `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
  const who = message.role === 'user' ? 'Person' : 'Assistant';
  return `${message.createdAt} ${who}: ${excerpt.replace(/\s+/g, ' ').trim()}`;
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
