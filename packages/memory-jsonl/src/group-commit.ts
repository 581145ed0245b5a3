import type { FileHandle } from 'node:fs/promises';
import { type Disk, syncFolder } from './disk.js';
import type { Layout } from './layout.js';
import { checkUnmoved } from './moved-history.js';
import type { HeldFile, OpenFiles } from './open-files.js';
import type { SessionEntry } from './session-entry.js';
import type { SharedJournal } from './shared-journal.js';
import { UnknownOutcome } from './unknown-outcome.js';

/*
 * Who comes alone goes straight to the history: one write, one sync. Those that wait meanwhile go together: each to
 * its own history without a sync, all to the shared journal with one. Invariant: at most one group is on its way to
 * the disk, so that a later one never passes an earlier one.
 */

export interface GroupCommit {
  /** Adds bytes to a history; safe when it resolves, taken back when it throws. */
  append(entry: SessionEntry, bytes: Uint8Array): Promise<void>;
  /** To be called before a history is moved, removed or written anew: the journal will not speak of it any more. */
  settle(names: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

interface Request {
  readonly entry: SessionEntry;
  readonly bytes: Uint8Array;
  resolve(): void;
  reject(error: unknown): void;
}

/** Bounds of a group: enough for any burst, little enough to be encoded in a few milliseconds. */
const groupRequests = 256;
const groupBytes = 4 * 1024 * 1024;
/** Where the disk is quick, a group is split: two syncs then cost less than waiting for one. */
const splitFrom = 32;
const splitBelowMs = 1;

export function createGroupCommit(
  disk: Disk,
  layout: Layout,
  files: OpenFiles,
  journal: SharedJournal,
): GroupCommit {
  const waiting: Request[] = [];
  let running: Promise<void> | undefined;
  let lastSyncMs = splitBelowMs;

  async function run(): Promise<void> {
    // What else is asked for before anything of the world outside is heard comes along.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    while (waiting.length > 0) {
      const group = nextGroup();
      if (group.length > 1 && journal.isUsable()) await together(group);
      else await Promise.all(group.map(alone));
    }
    running = undefined;
  }

  function nextGroup(): Request[] {
    let bytes = 0;
    let count = 0;
    for (const request of waiting) {
      bytes += request.bytes.length;
      if (count > 0 && bytes > groupBytes) break;
      count += 1;
    }
    // Of many one half goes first: while the disk has it, the processor has what the other half stands for.
    const share =
      waiting.length >= splitFrom && lastSyncMs < splitBelowMs
        ? Math.ceil(waiting.length / 2)
        : waiting.length;
    return waiting.splice(0, Math.min(count, share, groupRequests));
  }

  async function alone(request: Request): Promise<void> {
    const { entry, bytes } = request;
    try {
      const held = await files.hold(layout.history(entry.name));
      try {
        await prepare(entry, held.file);
        try {
          writeNow(held.file, bytes);
          await syncHistory(entry, held.file);
          // The name of a new file is not safe before its folder is.
          if (held.created || entry.log?.size === 0) await syncFolder(disk, layout.folder);
        } catch (error) {
          throw await cutBack(entry, held.file, error);
        }
      } finally {
        await held.release();
      }
      request.resolve();
    } catch (error) {
      request.reject(error);
    }
  }

  async function together(group: readonly Request[]): Promise<void> {
    const holding = group.map(holdFor);
    const held = holding.every(isAtHand) ? holding : await Promise.all(holding);
    try {
      const written: { readonly request: Request; readonly file: FileHandle }[] = [];
      for (const [index, request] of group.entries()) {
        const file = held[index]?.file;
        if (file === undefined) continue;
        const failing = writeFirst(request, file);
        if (failing === undefined || (await failing)) written.push({ request, file });
      }
      if (written.length === 0) return;
      const began = performance.now();
      try {
        await journal.write({ parts: written.map(({ request }) => partOf(request)), settled: [] });
      } catch (error) {
        for (const { request, file } of written) {
          if (error instanceof UnknownOutcome) request.entry.doubt = error;
          request.reject(await cutBack(request.entry, file, error));
        }
        return;
      }
      lastSyncMs = performance.now() - began;
      for (const { request } of written) request.resolve();
    } finally {
      for (const each of held) {
        const released = each?.release();
        if (released !== undefined) await released;
      }
    }
  }

  function holdFor({ entry, reject }: Request): MaybeHeld | Promise<MaybeHeld> {
    const holding = files.hold(layout.history(entry.name));
    if (!(holding instanceof Promise)) return holding;
    return holding.catch((error: unknown) => {
      reject(error);
      return undefined;
    });
  }

  /**
   * Writes before the journal does, so that a disk without room is noticed before anything is promised. Undefined
   * once it is written; where that takes longer, resolves to whether it was.
   */
  function writeFirst(request: Request, file: FileHandle): undefined | Promise<boolean> {
    const refuse = (error: unknown): boolean => {
      request.reject(error);
      return false;
    };
    const write = () => {
      try {
        writeNow(file, request.bytes);
        return undefined;
      } catch (error) {
        return cutBack(request.entry, file, error).then(refuse);
      }
    };
    try {
      const preparing = prepare(request.entry, file);
      return preparing === undefined ? write() : preparing.then(() => write() ?? true, refuse);
    } catch (error) {
      return Promise.resolve(refuse(error));
    }
  }

  /** The file must end where the session is known to end; what was cut off by a crash is taken away. */
  function prepare(entry: SessionEntry, file: FileHandle): undefined | Promise<void> {
    checkUnmoved(entry, disk.measureNow(file));
    if (entry.log?.tail === 'excess') return file.truncate(entry.log.size);
    return undefined;
  }

  function writeNow(file: FileHandle, bytes: Uint8Array): void {
    for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(disk.writeNow(file, rest));
  }

  async function syncHistory(entry: SessionEntry, file: FileHandle): Promise<void> {
    try {
      await file.datasync();
    } catch (error) {
      // The next sync would succeed and prove nothing: what this one lost of earlier appends is in the journal only.
      if (journal.holds(entry.name)) journal.keep();
      throw error;
    }
  }

  /** Takes back what was written of an append; returns what to tell its caller. */
  async function cutBack(entry: SessionEntry, file: FileHandle, failure: unknown): Promise<unknown> {
    try {
      await file.truncate(entry.log?.size ?? 0);
      await syncHistory(entry, file);
      return failure;
    } catch {
      const unknown = new UnknownOutcome(
        'An append failed and could not be taken back from the history: perhaps it is stored.',
        { cause: failure },
      );
      entry.doubt ??= unknown;
      return unknown;
    }
  }

  async function settle(names: readonly string[]): Promise<void> {
    const held = names.filter((name) => journal.holds(name));
    if (held.length === 0) return;
    if (!journal.isUsable())
      throw new Error('The journal keeps these histories until the store is opened again.');
    try {
      for (const name of held) await files.read(layout.history(name), (file) => file.datasync());
      await syncFolder(disk, layout.folder);
    } catch (error) {
      journal.keep();
      throw error;
    }
    await journal.write({ parts: [], settled: held });
  }

  return {
    append(entry, bytes) {
      return new Promise((resolve, reject) => {
        waiting.push({ entry, bytes, resolve, reject });
        running ??= run();
      });
    },
    settle,
    async close() {
      await running;
      await journal.close();
    },
  };
}

type MaybeHeld = HeldFile | undefined;

function isAtHand(holding: MaybeHeld | Promise<MaybeHeld>): holding is MaybeHeld {
  return !(holding instanceof Promise);
}

function partOf({ entry, bytes }: Request): { name: string; at: number; bytes: Uint8Array } {
  return { name: entry.name, at: entry.log?.size ?? 0, bytes };
}
