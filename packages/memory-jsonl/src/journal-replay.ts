import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Disk, isCode, syncFolder } from './disk.js';
import type { Finding } from './finding.js';
import { decodeJournal, type JournalPart } from './journal-record.js';
import type { Layout } from './layout.js';
import { readBlock } from './line-walk.js';

/**
 * After a crash: gives each history what it lacks of the journal, syncs it, and removes the journal. Can itself be
 * cut off anywhere and begun again.
 */
export async function replayJournals(
  disk: Disk,
  layout: Layout,
  report: (finding: Finding) => void,
): Promise<void> {
  const journals = layout.journals
    .filter((path) => disk.statNow(path) !== undefined)
    .map((path) => ({ path, ...decodeJournal(disk.readNow(path)) }))
    .sort((left, right) => left.generation - right.generation);
  if (journals.length === 0) return;
  const unsettled = new Map<string, JournalPart[]>();
  for (const { settled, parts } of journals.flatMap(({ records }) => records)) {
    for (const name of settled) unsettled.delete(name);
    for (const part of parts) {
      const before = unsettled.get(part.name);
      if (before === undefined) unsettled.set(part.name, [part]);
      else before.push(part);
    }
  }
  for (const [name, parts] of unsettled) {
    // Nothing outside of the folder, whoever wrote the journal.
    if (name === basename(name)) await replayHistory(disk, layout.history(name), name, parts, report);
  }
  if (unsettled.size > 0) await syncFolder(disk, layout.folder);
  for (const { path } of journals) {
    await disk.unlink(path);
    // The older one first: what is left must never lack what came before it.
    await syncFolder(disk, layout.own);
  }
}

async function replayHistory(
  disk: Disk,
  path: string,
  name: string,
  parts: readonly JournalPart[],
  report: (finding: Finding) => void,
): Promise<void> {
  const file = await openHistory(disk, path, parts[0]?.at === 0);
  if (file === undefined) return;
  try {
    for (const { at, bytes } of parts) {
      if (await belongs(file, at, bytes)) {
        // Also where the bytes are there: after a failed sync they may be in memory only.
        await writeAt(file, bytes, at);
      } else if (!(await holds(file, bytes))) {
        await addAtEnd(file, bytes);
        report({
          code: 'journal-elsewhere',
          path,
          key: name,
          message: `${path} holds something else at byte ${at}, where messages of the journal belong: they were added at its end.`,
        });
      }
    }
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Undefined where the file is gone and was there before the journal: somebody has removed it since. */
async function openHistory(disk: Disk, path: string, isNew: boolean): Promise<FileHandle | undefined> {
  try {
    return await disk.open(path, 'r+');
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
  }
  return isNew ? disk.open(path, 'wx+', 0o644) : undefined;
}

/** True where at this place stands nothing, nothing but zeros, or a beginning of the bytes. */
async function belongs(file: FileHandle, at: number, bytes: Uint8Array): Promise<boolean> {
  const { size } = await file.stat();
  if (size < at) return false;
  const there = await readBlock(file, at, Math.min(bytes.length, size - at));
  return there.every((byte, index) => byte === 0 || byte === bytes[index]);
}

async function holds(file: FileHandle, bytes: Uint8Array): Promise<boolean> {
  const { size } = await file.stat();
  return (await readBlock(file, 0, size)).includes(Buffer.from(bytes));
}

async function addAtEnd(file: FileHandle, bytes: Uint8Array): Promise<void> {
  const { size } = await file.stat();
  const [last] = size === 0 ? [10] : await readBlock(file, size - 1, 1);
  await writeAt(file, last === 10 ? bytes : Buffer.concat([Buffer.from('\n'), bytes]), size);
}

async function writeAt(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}
