import type { FileHandle } from 'node:fs/promises';
import { type Disk, isCode, syncFolder } from './disk.js';
import { encodeRecord, type JournalRecord } from './journal-record.js';
import type { Layout } from './layout.js';
import type { OpenFiles } from './open-files.js';
import { UnknownOutcome } from './unknown-outcome.js';

/*
 * Two files that take turns. One is filled; once it is long enough the other one is, while the histories that the
 * first speaks of are synced and the first is struck out. Invariant: a record is struck out only when all it holds
 * is safe in the histories themselves.
 */

/** Zeros written ahead: a sync that neither moves a file's end nor takes blocks for it costs half. */
const aheadBytes = 512 * 1024;

export interface SharedJournal {
  /** False once something failed that cannot be undone: what it holds is kept for the next opening. */
  isUsable(): boolean;
  /** Safe on the disk when it resolves, not there when it throws. Throws `UnknownOutcome` where that is unknown. */
  write(record: JournalRecord): Promise<void>;
  /** True while a history may lack on the disk what the journal holds. */
  holds(name: string): boolean;
  /** Keeps all that it holds: a history could not be synced. */
  keep(): void;
  /** Syncs all histories; nothing is left of the journal. */
  close(): Promise<void>;
}

interface Filling {
  readonly path: string;
  file: FileHandle | undefined;
  generation: number;
  records: number;
  position: number;
  /** Up to here the file has blocks of its own. */
  ahead: number;
  readonly names: Set<string>;
}

export function createSharedJournal(
  disk: Disk,
  layout: Layout,
  files: OpenFiles,
  fullBytes: number,
  unsynced: (name: string, error: unknown) => void,
): SharedJournal {
  const newFilling = (path: string): Filling => {
    return { path, file: undefined, generation: 0, records: 0, position: 0, ahead: 0, names: new Set() };
  };
  let current = newFilling(layout.journals[0]);
  let other = newFilling(layout.journals[1]);
  let generations = 0;
  let isUsable = true;
  let striking: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();

  async function begin(filling: Filling): Promise<FileHandle> {
    if (filling.file === undefined) {
      filling.file = await disk.open(filling.path, 'w+');
      await syncFolder(disk, layout.own);
    }
    if (filling.records === 0) filling.generation = ++generations;
    return filling.file;
  }

  async function writeNext(record: JournalRecord): Promise<void> {
    const file = await begin(current);
    const bytes = encodeRecord(current.generation, current.records + 1, record);
    const { position } = current;
    const end = position + bytes.length;
    const ahead = end <= current.ahead ? current.ahead : end + aheadBytes;
    try {
      writeAt(
        file,
        end <= current.ahead ? bytes : Buffer.concat([bytes, Buffer.alloc(aheadBytes)]),
        position,
      );
      await file.datasync();
    } catch (error) {
      await strike(file, position, error);
      throw error;
    }
    current.position = end;
    current.ahead = ahead;
    current.records += 1;
    for (const { name } of record.parts) current.names.add(name);
    for (const name of record.settled) for (const { names } of [current, other]) names.delete(name);
    if (current.position >= fullBytes && other.records === 0 && striking === undefined) turn();
  }

  /** Into memory only, so that no thread is needed for it. */
  function writeAt(file: FileHandle, bytes: Uint8Array, position: number): void {
    for (let written = 0; written < bytes.length; )
      written += disk.writeNow(file, bytes.subarray(written), position + written);
  }

  /** Makes sure that a record which failed is not there, whatever part of it has reached the disk. */
  async function strike(file: FileHandle, position: number, failure: unknown): Promise<void> {
    try {
      writeAt(file, Buffer.alloc(96), position);
      await file.datasync();
    } catch {
      isUsable = false;
      throw new UnknownOutcome(
        'An append failed and could not be taken back from the journal: perhaps it is stored.',
        {
          cause: failure,
        },
      );
    }
  }

  function turn(): void {
    const full = current;
    current = other;
    other = full;
    striking = strikeOut(full)
      .catch(() => {
        isUsable = false;
      })
      .finally(() => {
        striking = undefined;
      });
  }

  async function strikeOut(filling: Filling): Promise<void> {
    await syncHistories(filling);
    if (filling.file !== undefined) {
      writeAt(filling.file, Buffer.alloc(96), 0);
      await filling.file.datasync();
    }
    filling.names.clear();
    filling.records = 0;
    filling.position = 0;
  }

  async function syncHistories(filling: Filling): Promise<void> {
    for (const name of filling.names) {
      try {
        await files.read(layout.history(name), (file) => file.datasync());
      } catch (error) {
        unsynced(name, error);
        throw error;
      }
    }
    // A new history has no name on the disk before this.
    await syncFolder(disk, layout.folder);
  }

  return {
    isUsable: () => isUsable,
    write(record) {
      const written = last.then(() => writeNext(record));
      last = written.catch(() => {});
      return written;
    },
    holds: (name) => current.names.has(name) || other.names.has(name),
    keep() {
      isUsable = false;
    },
    async close() {
      await striking;
      const used = [other, current].filter(({ file }) => file !== undefined);
      try {
        if (isUsable) for (const filling of used) if (filling.records > 0) await syncHistories(filling);
      } finally {
        for (const { file } of used) await file?.close();
      }
      if (!isUsable || used.length === 0) return;
      // The older one first: what is left must never lack what came before it.
      for (const { path } of used.sort((left, right) => left.generation - right.generation)) {
        await disk.unlink(path).catch((error: unknown) => {
          if (!isCode(error, 'ENOENT')) throw error;
        });
        await syncFolder(disk, layout.own);
      }
    },
  };
}
