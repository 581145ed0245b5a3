import type { SessionMeta, StoredMessage } from '@x/session-store';
import { withLines } from './log-shape.js';
import { encodeLine } from './message-line.js';
import { checkUndoubted, type OpenFolder } from './open-folder.js';
import type { SessionEntry } from './session-entry.js';

/** Lines as they are written in one go, `\n` first where the last one on disk has no end. */
export function linesOf(entry: SessionEntry, messages: readonly StoredMessage[], tied: boolean): Buffer {
  let lines = entry.log?.tail === 'open' ? '\n' : '';
  for (const [index, message] of messages.entries())
    lines += encodeLine(message, tied ? messages.length - 1 - index : 0);
  return Buffer.from(lines);
}

/**
 * Adds messages to a history. The metadata may follow later, since the lines tell all that it would say. On failure
 * the file is cut back to what was acknowledged before.
 */
export async function appendMessages(
  folder: OpenFolder,
  entry: SessionEntry,
  messages: readonly StoredMessage[],
  meta: SessionMeta,
): Promise<void> {
  const [first, last] = [messages[0], messages.at(-1)];
  if (entry.log === undefined || first === undefined || last === undefined)
    throw new Error(`The history of "${entry.key}" was not looked at before the append.`);
  checkUndoubted(folder, entry);
  const bytes = linesOf(entry, messages, true);
  await folder.commits.append(entry, bytes);
  entry.log = withLines(entry.log, {
    count: messages.length,
    bytes: bytes.length,
    firstSeq: first.seq,
    lastSeq: last.seq,
  });
  entry.fileSize = entry.log.size;
  // Frozen once somebody is handed it: the next append makes a new record of this one, from a frozen one slowly.
  entry.meta = meta;
  folder.entries.touch(entry.key);
  folder.ids.add(entry, messages);
  entry.file = 'behind';
}
