import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { type Disk, isCode } from './disk.js';

/**
 * Keeps at most `limit` idle files open, those used last. Invariant: a file is closed only while nobody holds it;
 * a forgotten one is opened anew by its next user.
 */
export interface OpenFiles {
  /** Runs a task with the file opened for reading and appending; undefined where it does not exist. */
  read<T>(path: string, task: (file: FileHandle) => Promise<T>): Promise<T | undefined>;
  /** The file for reading and appending, created where it is missing. To be released. */
  hold(path: string): Promise<HeldFile>;
  /** To be called before the path comes to mean another file. */
  forget(path: string): Promise<void>;
  close(): Promise<void>;
}

export interface HeldFile {
  readonly file: FileHandle;
  readonly created: boolean;
  release(): void | Promise<void>;
}

interface Slot {
  readonly opening: Promise<FileHandle>;
  /** Set once it is open. */
  file: FileHandle | undefined;
  users: number;
  forgotten: boolean;
}

export function createOpenFiles(disk: Disk, limit: number, readOnly: boolean): OpenFiles {
  const slots = new Map<string, Slot>();
  const flags = readOnly ? constants.O_RDONLY : constants.O_RDWR | constants.O_APPEND;

  async function closeIdle(slot: Slot): Promise<void> {
    const file = await slot.opening.catch(() => undefined);
    await file?.close();
  }

  function leave(slot: Slot): void | Promise<void> {
    slot.users -= 1;
    if (slot.users > 0) return;
    if (slot.forgotten) return closeIdle(slot);
    if (slots.size > limit) return closeOldest();
  }

  async function closeOldest(): Promise<void> {
    for (const [path, oldest] of slots) {
      if (oldest.users > 0) continue;
      slots.delete(path);
      await closeIdle(oldest);
      return;
    }
  }

  async function opened(path: string, extra: number): Promise<FileHandle> {
    try {
      return await disk.open(path, flags | extra, 0o644);
    } catch (error) {
      // Others of this process have the files that are allowed: make do with fewer.
      if (!isCode(error, 'EMFILE', 'ENFILE')) throw error;
      for (let count = slots.size >> 1; count >= 0; count -= 1) await closeOldest();
      return disk.open(path, flags | extra, 0o644);
    }
  }

  async function use(path: string, extra: number): Promise<Slot & { readonly file: FileHandle }> {
    let slot = slots.get(path);
    if (slot === undefined)
      slot = { opening: opened(path, extra), file: undefined, users: 0, forgotten: false };
    // Counted before anything is awaited, so that nobody closes it in between. The one used last stands last.
    slot.users += 1;
    slots.delete(path);
    slots.set(path, slot);
    if (slot.file !== undefined) return slot as Slot & { readonly file: FileHandle };
    try {
      return Object.assign(slot, { file: await slot.opening });
    } catch (error) {
      slot.users -= 1;
      slot.forgotten = true;
      if (slots.get(path) === slot) slots.delete(path);
      throw error;
    }
  }

  async function forget(path: string): Promise<void> {
    const slot = slots.get(path);
    if (slot === undefined) return;
    slots.delete(path);
    slot.forgotten = true;
    if (slot.users === 0) await closeIdle(slot);
  }

  async function hold(path: string): Promise<HeldFile> {
    const held = (slot: Slot & { readonly file: FileHandle }, created: boolean): HeldFile => ({
      file: slot.file,
      created,
      release: () => leave(slot),
    });
    if (slots.has(path)) return held(await use(path, 0), false);
    try {
      return held(await use(path, constants.O_CREAT | constants.O_EXCL), true);
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
      return held(await use(path, 0), false);
    }
  }

  return {
    async read(path, task) {
      let slot: Slot & { readonly file: FileHandle };
      try {
        slot = await use(path, 0);
      } catch (error) {
        if (isCode(error, 'ENOENT')) return undefined;
        throw error;
      }
      try {
        return await task(slot.file);
      } finally {
        await leave(slot);
      }
    },
    hold,
    forget,
    async close() {
      for (const path of [...slots.keys()]) await forget(path);
    },
  };
}
