import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { SessionMeta } from '@x/session-store';
import { writeSynced } from './disk.js';
import { carryOut } from './intent.js';
import { metaEnding } from './layout.js';
import type { LogShape } from './log-shape.js';
import { encodeMeta } from './meta-file.js';
import type { OpenFolder } from './open-folder.js';
import type { SessionEntry } from './session-entry.js';

/** A staged metadata file, to be moved to its place; named relative to the folder. */
export async function stageMetadata(
  folder: OpenFolder,
  meta: SessionMeta,
  log: LogShape,
  about: Pick<SessionEntry, 'untimedAt' | 'namedByFile' | 'others'>,
  claims: readonly string[],
): Promise<string> {
  const refused = meta.aliases.filter((alias) => {
    const owner = folder.aliases.owner(alias);
    return owner !== undefined && owner !== meta.key && !claims.includes(alias);
  });
  const name = stagedName();
  await writeSynced(
    folder.disk,
    join(folder.layout.folder, name),
    encodeMeta(meta, log, { ...about, refused }),
  );
  return name;
}

export function stagedName(): string {
  return `.holdfast/staged/${randomUUID()}`;
}

/** Lets the metadata of a session that nobody has in hand catch up with its history. */
export async function catchUp(folder: OpenFolder, entry: SessionEntry): Promise<void> {
  const { log } = entry;
  // A session that was removed meanwhile must not come back.
  if (folder.entries.get(entry.key) !== entry) return;
  if (entry.file !== 'behind' || entry.users > 0 || log === undefined || entry.doubt !== undefined) return;
  entry.writing ??= (async () => {
    try {
      const staged = await stageMetadata(folder, entry.meta, log, entry, []);
      await carryOut(folder.disk, folder.layout, [{ do: 'move', from: staged, to: entry.name + metaEnding }]);
      entry.file = 'current';
    } catch (error) {
      reportUnwritten(folder, entry, error);
    } finally {
      entry.writing = undefined;
    }
  })();
  await entry.writing;
}

export function reportUnwritten(folder: OpenFolder, entry: SessionEntry, error: unknown): void {
  const path = folder.layout.meta(entry.name);
  const why = error instanceof Error ? error.message : String(error);
  folder.report({
    code: 'metadata-not-written',
    path,
    key: entry.key,
    message: `${path} could not be written (${why}); it lags behind its history, which is whole, until the next try.`,
  });
}

/**
 * Sessions whose metadata lags, those used last at the end. Invariant: at most `limit` are left behind once
 * what is being written is written, so that an opening after a crash has little to repair.
 */
export interface Laggards {
  add(entry: SessionEntry): void;
  /** Writes all that is left. */
  drain(): Promise<void>;
}

/** Beside the work that somebody waits for, and when all of it has to be done. */
const writersBeside = 1;
const writersAtOnce = 8;

export function createLaggards(folder: OpenFolder, limit: number): Laggards {
  const behind = new Set<SessionEntry>();
  const writing = new Set<Promise<void>>();

  function start(entry: SessionEntry): void {
    behind.delete(entry);
    const task = catchUp(folder, entry).finally(() => {
      writing.delete(task);
      if (entry.file === 'behind') behind.add(entry);
    });
    writing.add(task);
  }

  return {
    add(entry) {
      behind.delete(entry);
      behind.add(entry);
      if (behind.size <= limit || writing.size >= writersBeside) return;
      for (const oldest of behind) {
        if (oldest.users > 0) continue;
        start(oldest);
        return;
      }
    },
    async drain() {
      const workers = Array.from({ length: writersAtOnce }, async () => {
        for (const entry of behind) {
          behind.delete(entry);
          await catchUp(folder, entry);
        }
      });
      await Promise.all([...workers, ...writing]);
    },
  };
}
