import type { FileHandle } from 'node:fs/promises';
import type { SessionMeta, StoredMessage } from '@x/session-store';
import { syncFolder } from './disk.js';
import { frozen } from './frozen.js';
import { withLines } from './log-shape.js';
import { encodeLine } from './message-line.js';
import { checkUndoubted, type OpenFolder } from './open-folder.js';
import { writeAll } from './rewrite.js';
import type { RecentIds, SessionEntry } from './session-entry.js';

const idsKept = 1024;

/** Lines as they are written in one go, `\n` first where the last one on disk has no end. */
export function linesOf(entry: SessionEntry, messages: readonly StoredMessage[], tied: boolean): Buffer {
  const lines = messages.map((message, index) => encodeLine(message, tied ? messages.length - 1 - index : 0));
  return Buffer.from((entry.log?.tail === 'open' ? '\n' : '') + lines.join(''));
}

/**
 * Adds messages to a history: one write, one sync. The metadata may follow later, since the lines tell all that
 * it would say. On failure the file is cut back to what was acknowledged before.
 */
export async function appendMessages(
  folder: OpenFolder,
  entry: SessionEntry,
  messages: readonly StoredMessage[],
  meta: SessionMeta,
): Promise<void> {
  const { log } = entry;
  if (log === undefined)
    throw new Error(`The history of "${entry.key}" was not looked at before the append.`);
  checkUndoubted(folder, entry);
  const bytes = linesOf(entry, messages, true);
  await folder.files.append(folder.layout.history(entry.name), async (file, created) => {
    if (log.tail === 'excess') await file.truncate(log.size);
    try {
      await writeAll(file, bytes);
      await file.datasync();
      // The name of a new file is not safe before its folder is.
      if (created || log.size === 0) await syncFolder(folder.disk, folder.layout.folder);
    } catch (error) {
      await cutBack(entry, file, log.size, error);
      throw error;
    }
  });
  appended(entry, messages, bytes.length);
  entry.meta = frozen(meta);
}

/** What is known of a session after lines of ours were added to its history. */
export function appended(entry: SessionEntry, messages: readonly StoredMessage[], bytes: number): void {
  const [first, last] = [messages[0], messages.at(-1)];
  if (entry.log === undefined || first === undefined || last === undefined) return;
  const recent: RecentIds = entry.recent ?? { from: entry.log.size, seqs: new Map() };
  for (const { id, seq } of messages) recent.seqs.set(id, seq);
  entry.log = withLines(entry.log, { count: messages.length, bytes, firstSeq: first.seq, lastSeq: last.seq });
  entry.recent = recent.seqs.size > idsKept ? undefined : recent;
}

async function cutBack(entry: SessionEntry, file: FileHandle, size: number, failure: unknown): Promise<void> {
  try {
    await file.truncate(size);
    await file.datasync();
  } catch {
    entry.doubt = failure instanceof Error ? failure : new Error(String(failure));
  }
}
