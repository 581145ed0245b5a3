import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { OpenTurn, PartialAnswer, TurnJournal } from './turn-journal.js';

const PROGRESS_EVERY_MS = 250;
const OWN_NAME = /^[0-9a-f]{32}\.json(?:\.new)?$/;

const openTurnSchema = z.object({
  turnId: z.string().min(1),
  sessionKey: z.string().min(1),
  agentId: z.string(),
  inputId: z.string().min(1),
  startedAt: z.string(),
  partial: z.object({ messageId: z.string().min(1), text: z.string() }).optional(),
});

interface Entry {
  turn: OpenTurn;
  readonly path: string;
  timer: NodeJS.Timeout | undefined;
  /** Writes of one file, one after the other. Never rejects. */
  writing: Promise<void>;
}

/**
 * A journal of one small file a running turn. A file is replaced whole, so that it is never half written when
 * the process dies; nothing is synced, since a power cut is not what it is for. Progress is written at most every
 * 250 ms, so that at most that much of what was shown is lost. Its own files that make no sense are removed; others are let alone.
 */
export function createFileJournal(directory: string): TurnJournal {
  const entries = new Map<string, Entry>();

  async function write(entry: Entry): Promise<void> {
    const temporary = `${entry.path}.new`;
    await writeFile(temporary, JSON.stringify(entry.turn));
    await rename(temporary, entry.path);
  }

  return {
    async begin(turn) {
      await mkdir(directory, { recursive: true });
      const path = join(directory, fileName(turn.turnId));
      const entry: Entry = { turn, path, timer: undefined, writing: Promise.resolve() };
      entries.set(turn.turnId, entry);
      const written = write(entry);
      entry.writing = written.catch(() => {});
      await written;
    },
    progress(turnId: string, partial: PartialAnswer) {
      const entry = entries.get(turnId);
      if (entry === undefined) return;
      entry.turn = { ...entry.turn, partial };
      entry.timer ??= setTimeout(() => {
        entry.timer = undefined;
        // A piece that cannot be written is made good by the next; the last is in the history itself.
        entry.writing = entry.writing.then(() => write(entry)).catch(() => {});
      }, PROGRESS_EVERY_MS);
    },
    async end(turnId) {
      const entry = entries.get(turnId);
      entries.delete(turnId);
      clearTimeout(entry?.timer);
      await entry?.writing;
      await rm(join(directory, fileName(turnId)), { force: true });
    },
    async open() {
      const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      });
      const found: OpenTurn[] = [];
      for (const name of names.filter((name) => OWN_NAME.test(name))) {
        const path = join(directory, name);
        const turn = name.endsWith('.json') ? parse(await readFile(path, 'utf8')) : undefined;
        if (turn === undefined) await rm(path, { force: true });
        else if (!entries.has(turn.turnId)) found.push(turn);
      }
      return found.toSorted((left, right) => (left.startedAt < right.startedAt ? -1 : 1));
    },
  };
}

function parse(text: string): OpenTurn | undefined {
  try {
    const { partial, ...turn } = openTurnSchema.parse(JSON.parse(text));
    return partial === undefined ? turn : { ...turn, partial };
  } catch {
    return undefined;
  }
}

/** Ids come from outside: whatever they hold, the name stays in the folder. */
function fileName(turnId: string): string {
  return `${createHash('sha256').update(turnId).digest('hex').slice(0, 32)}.json`;
}
