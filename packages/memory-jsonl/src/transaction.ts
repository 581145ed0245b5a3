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
import { isCode } from './disk.js';
import { flatName } from './file-name.js';
import { lookAgain } from './look-again.js';
import type { Laggards } from './metadata-writer.js';
import { HistoryMoved } from './moved-history.js';
import { type OpenFolder, settle, withHistory } from './open-folder.js';
import type { SessionEntry } from './session-entry.js';

/** How often a session is looked at again where another program writes to it at the same time. */
const looksAtMost = 5;
const noOwners: Found['owners'] = new Map();
const noSeqs: Found['seqs'] = new Map();

/** The driver's one way to write: look, decide, store. `laggards` hears of sessions whose metadata is to follow. */
export function createTransactions(
  folder: OpenFolder,
  laggards: Laggards,
  readOnly: boolean,
): SessionDriver['transact'] {
  const directory = folder.layout.folder;

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
        await store(folder, changes);
        return changes;
      } catch (error) {
        if (!(error instanceof HistoryMoved) || looks === looksAtMost) throw readable(directory, error);
        await lookAgain(folder, error.entry);
      }
    }
  }

  function noteLagging(changes: readonly Change[]): void {
    for (const { key } of changes) {
      const entry = folder.entries.get(key);
      if (entry?.file === 'behind') laggards.add(entry);
    }
  }

  /** A step on one session of which all is known: most appends. Nothing is waited for but the disk. */
  async function atHand(
    entry: SessionEntry,
    need: Need,
    decide: (found: Found) => readonly Change[],
  ): Promise<void> {
    entry.users += 1;
    try {
      const changes = decide({
        sessions: new Map([[entry.key, entry.meta]]),
        owners: noOwners,
        seqs: noSeqs,
      });
      if (changes.length === 0) return;
      await store(folder, changes);
      noteLagging(changes);
    } catch (error) {
      if (!(error instanceof HistoryMoved)) throw readable(directory, error);
      await lookAgain(folder, error.entry);
      noteLagging(await decided(need, decide));
    } finally {
      entry.users -= 1;
    }
  }

  return (need, decide) => {
    const entry = readOnly ? undefined : entryAtHand(folder, need);
    if (entry !== undefined) return atHand(entry, need, decide);
    return holding(need.keys, async () => noteLagging(await decided(need, decide)));
  };
}

/** The one session that a step needs, where no file has to be looked at for it. */
function entryAtHand(folder: OpenFolder, { keys, aliases, messageIds }: Need): SessionEntry | undefined {
  const [key = ''] = keys;
  if (keys.length !== 1 || aliases.length > 0) return undefined;
  const entry = folder.entries.get(key);
  if (entry?.log === undefined || entry.writing !== undefined) return undefined;
  return messageIds.length === 0 || folder.ids.areNew(entry, messageIds) ? entry : undefined;
}

function store(folder: OpenFolder, changes: readonly Change[]): Promise<void> {
  const [change] = changes;
  if (changes.length === 1 && change !== undefined && isPlainAppend(change)) {
    const entry = folder.entries.get(change.key);
    if (entry !== undefined && (entry.file === 'current' || entry.file === 'behind'))
      return appendMessages(folder, entry, change.append ?? [], change.meta);
  }
  return carryOutChanges(folder, changes);
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
export function ownerOf(folder: OpenFolder, alias: string): string | undefined {
  const owner = folder.aliases.owner(alias);
  if (owner !== undefined || folder.namedByFile.size === 0) return owner;
  const named = folder.namedByFile.get(flatName(alias).toLowerCase());
  return named !== undefined && named !== alias && folder.entries.get(named)?.namedByFile === true
    ? named
    : undefined;
}

/** Makes errors of the file system say what happened to the folder, and what to do. */
function readable(directory: string, error: unknown): unknown {
  const place = { path: directory, cause: error };
  if (isCode(error, 'ENOSPC', 'EDQUOT')) {
    return new StoreFull(
      `No room is left in ${directory}: nothing was stored. Make room and try again.`,
      place,
    );
  }
  if (isCode(error, 'EACCES', 'EPERM', 'EROFS')) {
    return new StoreFailed(
      `The folder ${directory} cannot be written: nothing was stored. Give this user the right to write there.`,
      place,
    );
  }
  return error;
}
