import { resolve as absolutePath } from 'node:path';
import {
  type Change,
  type Found,
  type Need,
  type SessionDriver,
  type SessionMeta,
  StoreFailed,
  StoreFull,
  Unsupported,
} from '@x/session-store';
import { appendMessages } from './append-path.js';
import { carryOutChanges } from './change-plan.js';
import { type Disk, isCode, nodeDisk } from './disk.js';
import { flatName } from './file-name.js';
import type { Finding } from './finding.js';
import { leaveIndex, leaveMetadata } from './folder-closing.js';
import { openFolder } from './folder-opening.js';
import { createFollower } from './follower.js';
import { frozen } from './frozen.js';
import { scanHistory } from './history-scan.js';
import { lookAgain } from './look-again.js';
import { createLaggards } from './metadata-writer.js';
import { HistoryMoved } from './moved-history.js';
import { type OpenFolder, settle, withHistory } from './open-folder.js';
import type { SessionEntry } from './session-entry.js';

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
/** How often a session is looked at again where another program writes to it at the same time. */
const looksAtMost = 5;

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

  /** Holds sessions while a step has them in hand, so that their metadata is not written beside it. */
  async function holding<T>(keys: readonly string[], task: () => Promise<T>): Promise<T> {
    const held = keys.map((key) => folder.entries.get(key)).filter((entry) => entry !== undefined);
    for (const entry of held) entry.users += 1;
    try {
      for (const entry of held) while (entry.writing !== undefined) await entry.writing;
      return await task();
    } finally {
      for (const entry of held) entry.users -= 1;
    }
  }

  /** Decides on what is there, and again where another program has changed that before it could be stored. */
  async function decided(
    need: Need,
    decide: (found: Found) => readonly Change[],
  ): Promise<readonly Change[]> {
    for (let looks = 1; ; looks += 1) {
      const changes = decide(await look(folder, need));
      if (changes.length === 0) return changes;
      if (readOnly)
        throw new Unsupported(`The folder ${directory} was opened to be read only.`, { path: directory });
      try {
        await readable(directory, () => store(folder, changes));
        return changes;
      } catch (error) {
        if (!(error instanceof HistoryMoved) || looks === looksAtMost) throw error;
        await lookAgain(folder, error.entry);
      }
    }
  }

  return {
    name: 'jsonl',
    capabilities: { durable: 'power', sharing: 'one-process', search: false, maxMessageBytes },

    transact(need, decide) {
      return holding(need.keys, async () => {
        const changes = await decided(need, decide);
        for (const change of changes) {
          const entry = folder.entries.get(change.key);
          if (entry?.file === 'behind') laggards.add(entry);
        }
      });
    },
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
    async page(query, after) {
      await follower?.lookAround();
      const shown: SessionMeta[] = [];
      for (const key of folder.entries.page(query, after)) {
        const entry = await settled(key);
        if (entry !== undefined) shown.push(frozen(entry.meta));
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

async function store(folder: OpenFolder, changes: readonly Change[]): Promise<void> {
  const [change] = changes;
  if (changes.length === 1 && change !== undefined && isPlainAppend(change)) {
    const entry = folder.entries.get(change.key);
    if (entry !== undefined && (entry.file === 'current' || entry.file === 'behind')) {
      await appendMessages(folder, entry, change.append ?? [], change.meta);
      entry.file = 'behind';
      return;
    }
  }
  await carryOutChanges(folder, changes);
}

/** True where the lines to be added tell all there is to tell. */
function isPlainAppend(change: Change): change is Exclude<Change, { readonly remove: true }> {
  return (
    !('remove' in change) &&
    change.derived === true &&
    change.adopt === undefined &&
    change.dropThrough === undefined &&
    change.dropAfter === undefined &&
    (change.claim?.length ?? 0) === 0
  );
}

async function look(folder: OpenFolder, need: Need): Promise<Found> {
  const sessions = new Map<string, SessionMeta>();
  for (const key of need.keys) {
    const entry = folder.entries.get(key);
    if (entry === undefined) continue;
    await settle(folder, entry);
    sessions.set(key, entry.meta);
  }
  const owners = new Map<string, string>();
  for (const alias of need.aliases) {
    const owner = ownerOf(folder, alias);
    if (owner !== undefined) owners.set(alias, owner);
  }
  const first = folder.entries.get(need.keys[0] ?? '');
  const seqs =
    first === undefined ? new Map<string, number>() : await lookUpIds(folder, first, need.messageIds);
  return { sessions, owners, seqs };
}

async function lookUpIds(
  folder: OpenFolder,
  entry: SessionEntry,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { log } = entry;
  if (log === undefined || ids.length === 0) return new Map();
  return folder.ids.find(entry, log, ids, (task) => withHistory(folder, entry, task));
}

/** A claimed alias, or PicoClaw's file name of a session that has no other name. */
function ownerOf(folder: OpenFolder, alias: string): string | undefined {
  const owner = folder.aliases.owner(alias);
  if (owner !== undefined) return owner;
  const named = folder.namedByFile.get(flatName(alias).toLowerCase());
  return named !== undefined && named !== alias && folder.entries.get(named)?.namedByFile === true
    ? named
    : undefined;
}

/** Makes errors of the file system say what happened to the folder, and what to do. */
async function readable<T>(directory: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (isCode(error, 'ENOSPC', 'EDQUOT')) {
      throw new StoreFull(`No room is left in ${directory}: nothing was stored. Make room and try again.`, {
        path: directory,
        cause: error,
      });
    }
    if (isCode(error, 'EACCES', 'EPERM', 'EROFS')) {
      throw new StoreFailed(
        `The folder ${directory} cannot be written: nothing was stored. Give this user the right to write there.`,
        {
          path: directory,
          cause: error,
        },
      );
    }
    throw error;
  }
}
