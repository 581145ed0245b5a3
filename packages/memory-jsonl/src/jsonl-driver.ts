import { resolve as absolutePath } from 'node:path';
import type { SessionDriver, SessionMeta } from '@x/session-store';
import { type Disk, nodeDisk } from './disk.js';
import type { Finding } from './finding.js';
import { leaveIndex, leaveMetadata } from './folder-closing.js';
import { openFolder } from './folder-opening.js';
import { createFollower } from './follower.js';
import { frozen } from './frozen.js';
import { scanHistory } from './history-scan.js';
import { createLaggards } from './metadata-writer.js';
import { settle, withHistory } from './open-folder.js';
import type { SessionEntry } from './session-entry.js';
import { createTransactions, ownerOf } from './transaction.js';

export interface JsonlOptions {
  /** The folder of the sessions; created where it is missing. Nothing outside of it is touched. */
  readonly directory: string;
  /** Larger messages are refused, in bytes of JSON. Default 10,000,000: PicoClaw reads no line of 10 MiB. */
  readonly maxMessageBytes?: number;
  /** Longer lines of other programs are passed over instead of read, in bytes. Default 20 MiB. */
  readonly maxLineBytes?: number;
  /** Takes no lock and writes nothing. A session is shown as it is when asked for, lists are at most a second old. Default false. */
  readonly readOnly?: boolean;
  /** Is told of what was found wrong and survived. Default: nobody. */
  readonly onFinding?: (finding: Finding) => void;
  /** Default: the machine's clock. */
  readonly now?: () => Date;
}

/** Bounds of what is kept at hand; a test sets them so low that they are met. */
export interface JsonlBounds {
  readonly filesKeptOpen: number;
  /** Sessions whose metadata may lag behind their history. */
  readonly sessionsLagging: number;
  /** Room for the ids of half a million messages, 16 bytes a slot. */
  readonly idSlotsKept: number;
  /** The shared journal begins anew behind so many bytes: a crash costs at most two such lengths to put right. */
  readonly journalBytes: number;
  /** From so many sessions on the folder has an index. */
  readonly indexedFrom: number;
}

const usualBounds: JsonlBounds = {
  filesKeptOpen: 512,
  sessionsLagging: 1024,
  idSlotsKept: 1024 * 1024,
  journalBytes: 8 * 1024 * 1024,
  indexedFrom: 200,
};

/**
 * Opens a folder, PicoClaw's or ours, finishes what a crash cut off, and takes the folder for this process.
 * Throws `StoreLocked` while another process has it, `StoreFailed` where it cannot be read or written.
 */
export async function openJsonlDriver(
  options: JsonlOptions,
  disk: Disk = nodeDisk,
  bounds: JsonlBounds = usualBounds,
): Promise<SessionDriver> {
  const { readOnly = false, maxMessageBytes = 10_000_000, maxLineBytes = 20 * 1024 * 1024 } = options;
  const directory = absolutePath(options.directory);
  const openedAt = Date.now();
  const { folder, lock, index } = await openFolder({
    disk,
    directory,
    readOnly,
    maxLineBytes,
    bounds,
    now: options.now ?? (() => new Date()),
    report: options.onFinding ?? (() => {}),
  });
  const laggards = createLaggards(folder, bounds.sessionsLagging);

  const follower = readOnly ? createFollower(folder, openedAt) : undefined;

  async function settled(key: string): Promise<SessionEntry | undefined> {
    const entry = folder.entries.get(key);
    if (entry !== undefined) await settle(folder, entry);
    return entry;
  }

  return {
    name: 'jsonl',
    capabilities: { durable: 'power', sharing: 'one-process', search: false, maxMessageBytes },

    transact: createTransactions(folder, laggards, readOnly),
    async load(key) {
      await follower?.look(key);
      const entry = await settled(key);
      return entry === undefined ? undefined : frozen(entry.meta);
    },
    async scan(key, range) {
      const entry = await settled(key);
      const log = entry?.log;
      if (entry === undefined || log === undefined) return [];
      return (await withHistory(folder, entry, (reader) => scanHistory(reader, log, range))) ?? [];
    },
    async owner(alias) {
      await follower?.lookAround();
      return ownerOf(folder, alias);
    },
    // A reader looks at the files for every name.
    ...(readOnly
      ? {}
      : {
          names: {
            find(name: string) {
              const { isLive } = folder.entries;
              const owner = ownerOf(folder, name);
              return {
                isLive: isLive(name),
                owner: owner !== undefined && isLive(owner) ? owner : undefined,
              };
            },
          },
        }),
    async page(query, after) {
      await follower?.lookAround();
      const shown: SessionMeta[] = [];
      for (const key of folder.entries.page(query, after)) {
        const entry = folder.entries.get(key);
        if (entry === undefined) continue;
        if (entry.log === undefined) await settle(folder, entry);
        shown.push(frozen(entry.meta));
      }
      return shown;
    },
    async close() {
      try {
        if (!readOnly) {
          await leaveMetadata(folder, laggards);
          await folder.commits.close();
          if (folder.entries.size >= bounds.indexedFrom) await leaveIndex(folder, index);
        }
      } finally {
        await index?.close();
        await folder.files.close();
        await lock?.release();
      }
    },
  };
}
