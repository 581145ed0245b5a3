import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { bytesIfThere } from './file-if-there.js';
import type { Generation } from './generation.js';
import { readTranscript, type Transcript } from './transcript.js';
import { splitLines } from './transcript-lines.js';
import { unpacked } from './zstd.js';

/** A transcript that is a file, packed or not. */
export function fileGeneration(
  sessionId: string,
  path: string,
  end: Pick<Generation, 'reason' | 'endedAt'> = {},
): Generation {
  return {
    sessionId,
    path,
    // What is packed is written unpacked.
    file: basename(path).replace(/\.zst$/, ''),
    ...end,
    load: () => loadTranscript(path),
    stamp: () => fileStamp(path),
  };
}

/** The transcript that an entry names and that is not there. */
export function missingGeneration(sessionId: string, folder: string): Generation {
  return { sessionId, path: folder, file: '', load: async () => undefined, stamp: () => 'missing' };
}

async function loadTranscript(path: string): Promise<Transcript | undefined> {
  const bytes = await bytesIfThere(path);
  // Renamed by a reset since it was listed: the next look finds it.
  if (bytes === undefined) return undefined;
  const { lines, isEnded } = splitLines(await unpacked(bytes));
  return readTranscript(lines, isEnded);
}

/** Another text whenever the file was written; `missing` where there is none. */
export function fileStamp(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? 'missing' : `${stats.ino}:${stats.size}:${stats.mtimeNs}`;
}

/** When the newest of the files was written, as ISO 8601. */
export function newestTime(paths: readonly string[]): string {
  const times = paths.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return new Date(Math.max(0, ...times)).toISOString();
}
