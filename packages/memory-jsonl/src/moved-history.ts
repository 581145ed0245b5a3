import type { SessionEntry } from './session-entry.js';

/*
 * PicoClaw knows no lock. What it appends while we have the folder open must be neither cut off nor written over:
 * before each write the history is measured, and where it is not as we left it, it is looked at again first.
 */

/** Thrown before a write where another program has written to the history: look again, decide again. */
export class HistoryMoved extends Error {
  constructor(readonly entry: SessionEntry) {
    super(`The history of "${entry.key}" was written to by another program.`);
  }
}

/** `stats` of the file that is about to be written; undefined where there is none. */
export function checkUnmoved(
  entry: SessionEntry,
  stats: { readonly size: number; readonly nlink: number } | undefined,
): void {
  if (entry.log === undefined) return;
  if ((stats?.size ?? 0) !== entry.fileSize || stats?.nlink === 0) throw new HistoryMoved(entry);
}
