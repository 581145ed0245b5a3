import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isCode } from './disk.js';
import { readSession } from './folder.js';
import { historyEnding, metaEnding } from './layout.js';
import { type OpenFolder, settle } from './open-folder.js';
import type { SessionEntry } from './session-entry.js';

/**
 * Keeps a reader, who has no lock, with what a writer does meanwhile. A session is taken over only in a state that
 * stood still while it was read and that no change is under way to.
 */
export interface Follower {
  /** The session is as its files are now. */
  look(key: string): Promise<void>;
  /** All sessions are as they were at most a second ago. */
  lookAround(): Promise<void>;
}

const lookedAroundForMs = 1000;
/** A change under way takes milliseconds; one that takes longer was cut off by a crash. */
const triesAtMost = 50;
const betweenTriesMs = 5;
/** Stamps of files are this exact. */
const clockStepMs = 20;

/** `openedAt`: when the folder began to be read, in milliseconds since 1970. */
export function createFollower(folder: OpenFolder, openedAt: number): Follower {
  const { disk, layout, entries } = folder;
  const stamps = new Map<string, string>();
  const cutOff = new Set<string>();
  let lookedAroundAt = performance.now();
  let lookingAround: Promise<void> | undefined;

  /** Changes with every change of the session's files. */
  function stampOf(name: string): string {
    return [layout.meta(name), layout.history(name)]
      .map((path) => disk.statNow(path))
      .map((stats) => (stats === undefined ? '-' : `${stats.ino} ${stats.size} ${stats.mtimeMs}`))
      .join(' ');
  }

  /** True while nothing has happened since the folder was opened, when all was read already. */
  function isAsOpened({ name, fileSize }: SessionEntry): boolean {
    const [meta, history] = [disk.statNow(layout.meta(name)), disk.statNow(layout.history(name))];
    const newest = Math.max(meta?.mtimeMs ?? 0, history?.mtimeMs ?? 0);
    return newest < openedAt - clockStepMs && (history?.size ?? 0) === fileSize;
  }

  async function isChanging(name: string): Promise<boolean> {
    for (const intent of await intents()) {
      if (cutOff.has(intent)) continue;
      const steps = await textOf(join(layout.intents, intent));
      if (steps.includes(`"${name}${historyEnding}"`) || steps.includes(`"${name}${metaEnding}"`))
        return true;
    }
    return false;
  }

  async function intents(): Promise<readonly string[]> {
    try {
      return await disk.readdir(layout.intents);
    } catch (error) {
      if (isCode(error, 'ENOENT')) return [];
      throw error;
    }
  }

  async function textOf(path: string): Promise<string> {
    try {
      return disk.readNow(path).toString('utf8');
    } catch (error) {
      if (isCode(error, 'ENOENT')) return '';
      throw error;
    }
  }

  /** Brings one session up to date; `known` is what was known of it. */
  async function follow(name: string, known: SessionEntry | undefined): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      const isLast = tries === triesAtMost;
      if (!isLast && (await isChanging(name))) {
        await wait(betweenTriesMs);
        continue;
      }
      // Nobody finishes these: what they have left is shown.
      if (isLast) for (const intent of await intents()) cutOff.add(intent);
      const stamp = stampOf(name);
      if (stamps.get(name) === stamp) return;
      if (known !== undefined && !stamps.has(name) && isAsOpened(known)) {
        stamps.set(name, stamp);
        return;
      }
      const entry = await read(name);
      if (!isLast && (stampOf(name) !== stamp || (await isChanging(name)))) continue;
      stamps.set(name, stamp);
      replace(known, entry);
      return;
    }
  }

  async function read(name: string): Promise<SessionEntry | undefined> {
    await folder.files.forget(layout.history(name));
    try {
      const entry = readSession(disk, layout, name, folder.now, folder.report);
      if (entry === undefined) return undefined;
      await settle(folder, entry);
      // Opened now, it stays this history, also when another one takes its name.
      await folder.files.read(layout.history(name), async () => undefined);
      return entry;
    } catch (error) {
      // Gone between one look and the next.
      if (isCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  }

  function replace(known: SessionEntry | undefined, entry: SessionEntry | undefined): void {
    if (known !== undefined) {
      folder.aliases.free(known.meta);
      entries.delete(known.key);
      folder.ids.forget(known);
    }
    // The name of a session that lies elsewhere: left alone, as when the folder was opened.
    if (entry === undefined || entries.get(entry.key) !== undefined) return;
    entries.set(entry.key, entry);
    for (const alias of entry.meta.aliases) folder.aliases.claim(alias, entry.key);
  }

  async function lookAtAll(): Promise<void> {
    const names = new Set<string>();
    for (const { name } of disk.listNow(layout.folder)) {
      for (const ending of [historyEnding, metaEnding])
        if (name.endsWith(ending)) names.add(name.slice(0, -ending.length));
    }
    const keys = [...entries.keysByActivity()];
    const known = new Map(keys.flatMap((key) => namedEntry(key)));
    for (const name of new Set([...names, ...known.keys()])) await follow(name, known.get(name));
  }

  function namedEntry(key: string): readonly (readonly [string, SessionEntry])[] {
    const entry = entries.get(key);
    return entry === undefined ? [] : [[entry.name, entry]];
  }

  async function lookAround(): Promise<void> {
    if (performance.now() - lookedAroundAt < lookedAroundForMs) return;
    lookingAround ??= lookAtAll().finally(() => {
      lookedAroundAt = performance.now();
      lookingAround = undefined;
    });
    await lookingAround;
  }

  return {
    async look(key) {
      const entry = entries.get(key);
      if (entry === undefined) await lookAround();
      else await follow(entry.name, entry);
    },
    lookAround,
  };
}
