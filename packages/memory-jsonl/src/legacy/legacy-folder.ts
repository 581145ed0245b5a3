import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isCode } from '../disk.js';
import { historyEnding, metaEnding } from '../layout.js';
import { isObject } from '../message-line.js';
import { decodeLegacy, digestOf, type LegacySession } from './legacy-file.js';

export const legacyEnding = '.json';

/** A session file that could be read, or one that looks like one and could not. */
export type LegacyFile =
  | {
      readonly file: string;
      readonly digest: string;
      readonly session: LegacySession;
    }
  | { readonly file: string; readonly reason: string };

/** The legacy session files of a folder, by name, one in memory at a time. Other programs' files are passed over. */
export async function* readLegacyFiles(directory: string, now: () => Date): AsyncGenerator<LegacyFile> {
  for (const file of legacyNames(await namesIn(directory))) {
    const name = file.slice(0, -legacyEnding.length);
    let bytes: Buffer;
    try {
      bytes = await readFile(join(directory, file));
    } catch (error) {
      if (isCode(error, 'EISDIR')) continue;
      yield { file, reason: error instanceof Error ? error.message : String(error) };
      continue;
    }
    const content = decodeLegacy(bytes, name, now().toISOString());
    if (content.kind === 'session') yield { file, digest: digestOf(bytes), session: content.session };
    if (content.kind === 'unreadable') yield { file, reason: content.reason };
  }
}

/** True where the folder holds a session of the older format. */
export function holdsLegacySessions(directory: string): boolean {
  if (!existsSync(directory)) return false;
  return legacyNames(readdirSync(directory)).some((file) => {
    try {
      return (
        decodeLegacy(readFileSync(join(directory, file)), file, new Date(0).toISOString()).kind === 'session'
      );
    } catch {
      return false;
    }
  });
}

/**
 * True where the older files are all there is: nothing was ever moved for good, and what lies there in the newer
 * format was left by a move that did not come to its end. Only then can a run go on with the older files alone.
 */
export function legacyHoldsEverything(directory: string): boolean {
  if (existsSync(takenRecord(directory)) || !holdsLegacySessions(directory)) return false;
  const names = readdirSync(directory);
  const metas = new Set(names.filter((name) => name.endsWith(metaEnding)));
  return (
    names.every(
      (name) => !name.endsWith(historyEnding) || metas.has(name.slice(0, -historyEnding.length) + metaEnding),
    ) && [...metas].every((name) => isLeftByMove(join(directory, name)))
  );
}

/** Where a folder says which files were moved for good. */
export function takenRecord(directory: string): string {
  return join(directory, '.holdfast', 'legacy-taken.json');
}

function isLeftByMove(path: string): boolean {
  try {
    const record: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const own = isObject(record) && isObject(record.holdfast) ? record.holdfast : {};
    return isObject(own.attributes) && isObject(own.attributes.legacy);
  } catch {
    return false;
  }
}

function legacyNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => name.endsWith(legacyEnding) && !name.endsWith(metaEnding)).sort();
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  }
}
