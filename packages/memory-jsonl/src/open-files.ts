import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { type Disk, isCode } from './disk.js';

/**
 * Keeps at most `limit` idle files open, those used last. Invariant: a file is closed only while nobody uses it;
 * a forgotten one is opened anew by its next user.
 */
export interface OpenFiles {
  /** Runs a task with the file opened for reading and appending; undefined where it does not exist. */
  read<T>(path: string, task: (file: FileHandle) => Promise<T>): Promise<T | undefined>;
  /** The same, and creates the file. `created` tells whether it was. */
  append<T>(path: string, task: (file: FileHandle, created: boolean) => Promise<T>): Promise<T>;
  /** To be called before the path comes to mean another file. */
  forget(path: string): Promise<void>;
  close(): Promise<void>;
}

interface Slot {
  readonly file: Promise<FileHandle>;
  users: number;
  forgotten: boolean;
}

export function createOpenFiles(disk: Disk, limit: number, readOnly: boolean): OpenFiles {
  const slots = new Map<string, Slot>();
  const flags = readOnly ? constants.O_RDONLY : constants.O_RDWR | constants.O_APPEND;

  async function closeIdle(slot: Slot): Promise<void> {
    const file = await slot.file.catch(() => undefined);
    await file?.close();
  }

  async function leave(slot: Slot): Promise<void> {
    slot.users -= 1;
    if (slot.forgotten && slot.users === 0) await closeIdle(slot);
    if (slots.size <= limit) return;
    for (const [path, oldest] of slots) {
      if (oldest.users > 0) continue;
      slots.delete(path);
      await closeIdle(oldest);
      return;
    }
  }

  async function use<T>(path: string, extra: number, task: (file: FileHandle) => Promise<T>): Promise<T> {
    const slot = slots.get(path) ?? {
      file: disk.open(path, flags | extra, 0o644),
      users: 0,
      forgotten: false,
    };
    // Counted before anything is awaited, so that nobody closes it in between. The one used last stands last.
    slot.users += 1;
    slots.delete(path);
    slots.set(path, slot);
    try {
      let file: FileHandle;
      try {
        file = await slot.file;
      } catch (error) {
        slot.forgotten = true;
        if (slots.get(path) === slot) slots.delete(path);
        throw error;
      }
      return await task(file);
    } finally {
      await leave(slot);
    }
  }

  async function forget(path: string): Promise<void> {
    const slot = slots.get(path);
    if (slot === undefined) return;
    slots.delete(path);
    slot.forgotten = true;
    if (slot.users === 0) await closeIdle(slot);
  }

  return {
    async read(path, task) {
      // Only a missing file means that there is none; the task's own errors are the caller's.
      let isOpen = false;
      try {
        return await use(path, 0, (file) => {
          isOpen = true;
          return task(file);
        });
      } catch (error) {
        if (!isOpen && isCode(error, 'ENOENT')) return undefined;
        throw error;
      }
    },
    async append(path, task) {
      if (slots.has(path)) return use(path, 0, (file) => task(file, false));
      let isOpen = false;
      try {
        return await use(path, constants.O_CREAT | constants.O_EXCL, (file) => {
          isOpen = true;
          return task(file, true);
        });
      } catch (error) {
        if (isOpen || !isCode(error, 'EEXIST')) throw error;
        return use(path, 0, (file) => task(file, false));
      }
    },
    forget,
    async close() {
      for (const path of [...slots.keys()]) await forget(path);
    },
  };
}
