import { randomUUID } from 'node:crypto';
import { mkdir, readdir, unlink } from 'node:fs/promises';
import { resolve as absolutePath, join } from 'node:path';
import { isMainAlias, mainSessionKey } from '@x/session-scope';
import { type Change, createMemoryDriver, type SessionDriver } from '@x/session-store';
import { byPrecedence } from '../alias-index.js';
import { type Disk, moveSynced, nodeDisk, removeSynced, writeSynced } from '../disk.js';
import { fileNameFor } from '../file-name.js';
import { encodeLegacy, type LegacySession } from './legacy-file.js';
import { legacyEnding, readLegacyFiles } from './legacy-folder.js';
import { lockLegacy } from './legacy-lock.js';

export interface LegacyOptions {
  /** The folder of the session files; created where it is missing. */
  readonly directory: string;
  /** Is told of files that look like sessions and cannot be read. They are left as they are. Default: nobody. */
  readonly onUnreadable?: (file: string, reason: string) => void;
  /** Default: the machine's clock. */
  readonly now?: () => Date;
}

const nothing = { keys: [], aliases: [], messageIds: [] };
const leftover = /\.json\.[0-9a-f-]{36}\.tmp$/;

/**
 * The older files as a whole store: everything in memory, and each change of a session a new file of it, in place
 * of the old one at once. Made for a run that cannot use the newer format; slow for long sessions, as the format is.
 */
export async function openLegacyDriver(
  options: LegacyOptions,
  disk: Disk = nodeDisk,
): Promise<SessionDriver> {
  const { now = () => new Date(), onUnreadable = () => {} } = options;
  const directory = absolutePath(options.directory);
  await mkdir(directory, { recursive: true });
  const lock = await lockLegacy(disk, directory, now);
  const memory = createMemoryDriver();
  const files = new Map<string, string>();
  const names = new Set<string>();
  try {
    for (const name of await readdir(directory)) {
      if (leftover.test(name)) await unlink(join(directory, name));
      else names.add(name.toLowerCase());
    }
    const sessions: LegacySession[] = [];
    for await (const found of readLegacyFiles(directory, now)) {
      if ('reason' in found) onUnreadable(found.file, found.reason);
      else if (files.has(found.session.meta.key))
        onUnreadable(found.file, `its session lies in ${files.get(found.session.meta.key)} already`);
      else {
        files.set(found.session.meta.key, found.file);
        sessions.push(found.session);
      }
    }
    await fill(memory, sessions);
  } catch (error) {
    await lock?.release();
    throw error;
  }

  function fileOf(key: string): string {
    const isTaken = (name: string) => names.has(name + legacyEnding) || name.endsWith('.meta');
    return files.get(key) ?? fileNameFor(key, isTaken) + legacyEnding;
  }

  async function write(session: LegacySession): Promise<void> {
    const file = fileOf(session.meta.key);
    const made = join(directory, `${file}.${randomUUID()}.tmp`);
    try {
      await writeSynced(disk, made, encodeLegacy(session));
      await moveSynced(disk, made, join(directory, file));
    } catch (error) {
      await disk.unlink(made).catch(() => {});
      throw error;
    }
    files.set(session.meta.key, file);
    names.add(file.toLowerCase());
  }

  async function remove(key: string): Promise<void> {
    const file = files.get(key);
    if (file === undefined) return;
    await removeSynced(disk, join(directory, file));
    files.delete(key);
    names.delete(file.toLowerCase());
  }

  return {
    ...memory,
    name: 'legacy-json',
    capabilities: { ...memory.capabilities, durable: 'power' },
    async transact(need, decide) {
      let changes: readonly Change[] = [];
      await memory.transact(need, (found) => {
        changes = decide(found);
        return [];
      });
      // On disk first: what cannot be stored has not happened. What is gone goes last: better twice than not at all.
      const after = await outcome(memory, changes);
      for (const session of after.values()) if (session !== undefined) await write(session);
      for (const [key, session] of after) if (session === undefined) await remove(key);
      await memory.transact(nothing, () => changes);
    },
    async close() {
      await lock?.release();
    },
  };
}

/** The sessions that changes touch, as they will be; undefined where one will be gone. */
async function outcome(
  memory: SessionDriver,
  changes: readonly Change[],
): Promise<ReadonlyMap<string, LegacySession | undefined>> {
  const keys = new Set(
    changes.flatMap((change) =>
      'remove' in change || change.adopt === undefined ? [change.key] : [change.key, change.adopt],
    ),
  );
  const trial = createMemoryDriver();
  for (const key of keys) {
    const before = await sessionIn(memory, key);
    if (before === undefined) continue;
    await trial.transact(nothing, () => [{ key, append: before.messages, meta: before.meta }]);
  }
  await trial.transact(nothing, () => changes);
  const after = new Map<string, LegacySession | undefined>();
  for (const key of keys) after.set(key, await sessionIn(trial, key));
  return after;
}

async function sessionIn(driver: SessionDriver, key: string): Promise<LegacySession | undefined> {
  const meta = await driver.load(key);
  if (meta === undefined) return undefined;
  const bounds = { after: 0, before: Number.MAX_SAFE_INTEGER, limit: Number.MAX_SAFE_INTEGER };
  return { meta, messages: await driver.scan(key, { ...bounds, order: 'asc' }) };
}

async function fill(memory: SessionDriver, sessions: readonly LegacySession[]): Promise<void> {
  const claimed = new Set<string>();
  for (const { meta, messages } of sessions.toSorted((left, right) => byPrecedence(left.meta, right.meta))) {
    const claim = meta.aliases.filter(
      (alias) =>
        !claimed.has(alias) &&
        (!isMainAlias(alias) || meta.key === mainSessionKey(alias.split(':')[1] ?? '')),
    );
    for (const alias of claim) claimed.add(alias);
    await memory.transact(nothing, () => [{ key: meta.key, append: messages, meta, claim }]);
  }
}
