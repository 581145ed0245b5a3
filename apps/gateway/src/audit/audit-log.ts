import { appendFile, readFile, rename, stat } from 'node:fs/promises';
import { z } from 'zod';
import { whenMissing } from '../missing-file.js';

/** Something that was changed through the API, and by whom. */
export interface AuditEntry {
  readonly at: string;
  /** The name of the token; `local` where none is in force. */
  readonly who: string;
  /** Method and pattern of the route, such as `POST /api/sessions/{key}/reset`. */
  readonly action: string;
  /** What stood in the path, such as the key of the session. */
  readonly target: Readonly<Record<string, string>>;
  /** The HTTP status of the answer. */
  readonly status: number;
}

export interface AuditLog {
  /** Kept when it resolves. */
  record(entry: AuditEntry): Promise<void>;
  /** The newest entries, newest first. */
  newest(limit: number): Promise<AuditEntry[]>;
}

const entrySchema = z.object({
  at: z.string(),
  who: z.string(),
  action: z.string(),
  target: z.record(z.string(), z.string()),
  status: z.number(),
});

/** Where a file ends and the next begins; the one before is kept beside it. */
const MAX_BYTES = 10 * 1024 * 1024;

/** Keeps entries as JSON lines in `path`, and the file before it as `path` with `.1`. */
export function createAuditLog(path: string): AuditLog {
  const before = `${path}.1`;
  let last: Promise<unknown> = Promise.resolve();

  async function write(entry: AuditEntry): Promise<void> {
    if ((await sizeOf(path)) >= MAX_BYTES) await rename(path, before);
    // The line break first: what a crash has cut off takes nothing of the next entry with it.
    await appendFile(path, `\n${JSON.stringify(entry)}`);
  }

  return {
    record(entry) {
      const mine = last.then(() => write(entry));
      last = mine.catch(() => undefined);
      return mine;
    },
    async newest(limit) {
      await last;
      const current = entriesOf(await textOf(path)).slice(-limit);
      const missing = limit - current.length;
      const older = missing > 0 ? entriesOf(await textOf(before)).slice(-missing) : [];
      return [...older, ...current].reverse();
    },
  };
}

/** Lines that are no entry, such as one that a crash has cut off, are passed over. */
function entriesOf(text: string): AuditEntry[] {
  return text.split('\n').flatMap((line) => {
    try {
      const parsed = entrySchema.safeParse(JSON.parse(line));
      return parsed.success ? [parsed.data] : [];
    } catch {
      return [];
    }
  });
}

async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(whenMissing(''));
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(({ size }) => size, whenMissing(0));
}
