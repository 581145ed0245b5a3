import { defineTool, type Tool } from '@x/agent-runtime';
import type { SessionBackend } from '@x/session-store';
import { z } from 'zod';

const ATTRIBUTE = 'notes';
const MAX_NOTES = 200;
const notesSchema = z.array(z.object({ fact: z.string(), at: z.string() }));

/** Keeps facts with the session they were told in, and tells them in that session only. */
export function sessionNoteTools(backend: SessionBackend, clock: () => Date): readonly Tool[] {
  async function notesOf(sessionKey: string) {
    const kept = (await backend.meta(sessionKey))?.attributes[ATTRIBUTE];
    return notesSchema.safeParse(kept).data ?? [];
  }
  return [
    defineTool({
      name: 'remember',
      description:
        'Keeps one fact for later in this conversation. Use it when the person asks you to remember something.',
      inputSchema: z.object({ fact: z.string().min(1).max(2000) }),
      async execute({ fact }, { sessionKey }) {
        const notes = await notesOf(sessionKey);
        if (notes.length >= MAX_NOTES)
          return `Nothing was kept: there are ${MAX_NOTES} notes in this session already.`;
        // A session runs one turn at a time, so that nobody writes between the read and this.
        const kept = [...notes, { fact, at: clock().toISOString() }];
        await backend.ensure(sessionKey, { attributes: { [ATTRIBUTE]: kept } });
        return `Kept: ${fact}.`;
      },
    }),
    defineTool({
      name: 'recall',
      description: 'Lists what was remembered in this conversation.',
      inputSchema: z.object({}),
      async execute(_input, { sessionKey }) {
        const notes = await notesOf(sessionKey);
        if (notes.length === 0) return 'Nothing has been remembered in this session yet.';
        return `Remembered in this session:\n\n${notes.map(({ fact }) => `- ${fact}`).join('\n')}`;
      },
    }),
  ];
}
