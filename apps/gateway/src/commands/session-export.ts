import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ExportEntry, SessionBackend } from '@x/session-store';
import { RunError } from '../run-error.js';
import type { StoreReference } from '../stores/store-reference.js';
import { textLines } from '../text-lines.js';
import { readEntry, writeEntry } from './export-line.js';
import { openHere } from './open-here.js';
import { deletedNamed, readingStore, sessionNamed } from './session-reading.js';

export interface Exported {
  readonly sessions: number;
  readonly messages: number;
}

/** Writes sessions as JSON lines: all of them, deleted ones too, or those that are named. */
export async function exportSessions(
  store: StoreReference,
  names: readonly string[],
  output: Writable,
): Promise<Exported> {
  return readingStore(store, async (backend) => {
    if (backend === undefined) return { sessions: 0, messages: 0 };
    const wanted = names.length === 0 ? undefined : new Set(await Promise.all(names.map(keyOf(backend))));
    let sessions = 0;
    let messages = 0;
    for await (const entry of backend.export()) {
      if (wanted !== undefined && !wanted.has(entry.type === 'session' ? entry.session.key : entry.key))
        continue;
      if (entry.type === 'session') sessions += 1;
      else messages += 1;
      if (!output.write(writeEntry(entry))) await once(output, 'drain');
    }
    return { sessions, messages };
  });
}

function keyOf(backend: SessionBackend): (name: string) => Promise<string> {
  return async (name) => {
    const found = await sessionNamed(backend, name).catch(() => deletedNamed(backend, name));
    return found.key;
  };
}

/** The same into a file, which is there when it is whole. */
export async function exportToFile(
  store: StoreReference,
  names: readonly string[],
  path: string,
): Promise<Exported> {
  const part = `${path}.part`;
  const output = createWriteStream(part);
  try {
    await once(output, 'open');
    const exported = await exportSessions(store, names, output);
    output.end();
    await finished(output);
    renameSync(part, path);
    return exported;
  } catch (error) {
    output.destroy();
    rmSync(part, { force: true });
    throw error;
  }
}

/** Takes the lines of an export. What is there already and equal is passed over. */
export async function importSessions(store: StoreReference, file: string | undefined) {
  if (file !== undefined && !existsSync(file)) throw new RunError(`There is no file ${file}.`);
  const backend = await openHere(store);
  try {
    const report = await backend.import(
      entriesOf(file === undefined ? process.stdin : createReadStream(file)),
    );
    return {
      sessions: report.sessions,
      messages: report.messages,
      skipped_messages: report.skippedMessages,
      refused: report.refused.map(({ key, alias, owner, reason }) => ({
        key,
        alias,
        owner: owner ?? null,
        reason,
      })),
    };
  } finally {
    await backend.close();
  }
}

async function* entriesOf(input: Readable): AsyncGenerator<ExportEntry> {
  let number = 0;
  for await (const line of textLines(input)) {
    number += 1;
    if (line.trim() !== '') yield readEntry(line, number);
  }
}
