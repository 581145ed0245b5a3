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
  hold(path: string): HeldFile | Promise<HeldFile>;
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
  readonly opening: Promise<OpenedFile>;
  /** Set once it is open. */
  file: FileHandle | undefined;
  users: number;
  forgotten: boolean;
}

interface OpenedFile {
  readonly file: FileHandle;
  readonly created: boolean;
}

export function createOpenFiles(disk: Disk, limit: number, readOnly: boolean): OpenFiles {
  const slots = new Map<string, Slot>();
  const flags = readOnly ? constants.O_RDONLY : constants.O_RDWR | constants.O_APPEND;

  async function closeIdle(slot: Slot): Promise<void> {
    const opened = await slot.opening.catch(() => undefined);
    await opened?.file.close();
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

  async function open(path: string, extra: number): Promise<FileHandle> {
    try {
      return await disk.open(path, flags | extra, 0o644);
    } catch (error) {
      // Others of this process have the files that are allowed: make do with fewer.
      if (!isCode(error, 'EMFILE', 'ENFILE')) throw error;
      for (let count = slots.size >> 1; count >= 0; count -= 1) await closeOldest();
      return disk.open(path, flags | extra, 0o644);
    }
  }

  async function openOrCreate(path: string): Promise<OpenedFile> {
    try {
      return { file: await open(path, 0), created: false };
    } catch (error) {
      if (!isCode(error, 'ENOENT')) throw error;
      return { file: await open(path, constants.O_CREAT | constants.O_EXCL), created: true };
    }
  }

  async function use(path: string, creates: boolean): Promise<{ slot: Slot } & OpenedFile> {
    const known = slots.get(path);
    const slot = known ?? newSlot(path, creates);
    take(path, slot);
    if (slot.file !== undefined) return { slot, file: slot.file, created: false };
    try {
      const { file, created } = await slot.opening;
      slot.file = file;
      return { slot, file, created };
    } catch (error) {
      slot.users -= 1;
      slot.forgotten = true;
      if (slots.get(path) === slot) slots.delete(path);
      // Who opened it only wanted to read.
      if (creates && known !== undefined && isCode(error, 'ENOENT')) return use(path, creates);
      throw error;
    }
  }

  /** Counted before anything is awaited, so that nobody closes it in between. The one used last stands last. */
  function take(path: string, slot: Slot): void {
    slot.users += 1;
    slots.delete(path);
    slots.set(path, slot);
  }

  function held({ slot, file, created }: { slot: Slot } & OpenedFile): HeldFile {
    return { file, created, release: () => leave(slot) };
  }

  function newSlot(path: string, creates: boolean): Slot {
    const opening = creates ? openOrCreate(path) : open(path, 0).then((file) => ({ file, created: false }));
    return { opening, file: undefined, users: 0, forgotten: false };
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
      let used: { slot: Slot } & OpenedFile;
      try {
        used = await use(path, false);
      } catch (error) {
        if (isCode(error, 'ENOENT')) return undefined;
        throw error;
      }
      try {
        return await task(used.file);
      } finally {
        await leave(used.slot);
      }
    },
    hold(path) {
      const slot = slots.get(path);
      if (slot?.file === undefined) return use(path, true).then(held);
      take(path, slot);
      return held({ slot, file: slot.file, created: false });
    },
    forget,
    async close() {
      for (const path of [...slots.keys()]) await forget(path);
    },
  };
}
