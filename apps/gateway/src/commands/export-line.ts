import type { ExportEntry } from '@x/session-store';
import { RunError } from '../run-error.js';

/*
 * One line of an export: an entry as the store contract spells it, since fields that nobody here knows must come
 * back as they were.
 */

export function writeEntry(entry: ExportEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/** What it is, is for the store to judge. Throws `RunError` with the number of a line that is not JSON. */
export function readEntry(line: string, number: number): ExportEntry {
  try {
    return JSON.parse(line) as ExportEntry;
  } catch {
    throw new RunError(`Line ${number} of the import is not JSON.`);
  }
}
