import { settle } from './change-steps.js';
import { checkpoint, logSize } from './database-file.js';
import type { FileAccess } from './sqlite-file.js';
import type { Tables } from './tables.js';

/** How long one piece of upkeep may hold the process up. */
const pieceMs = 10;
/** Nothing was written for so long: the time is right. */
const quietMs = 50;
/** So many messages that search does not know of are indexed even while it is busy, which bounds what a search waits for. */
const behindAtMost = 10_000;
const logAtMost = 16 * 1024 * 1024;
const settledAtOnce = 50;
/** What `close` still does, so that it does not keep anybody waiting. */
const closingPieces = 20;

/** What is not done on the way of an append: the search index, what PicoBot changed, the size of the log. */
export interface Upkeep {
  /** Notes that messages were stored. */
  wrote(messages: number): void;
  /** Takes in everything that PicoBot changed. */
  settleAll(): Promise<void>;
  /** Lets the search index catch up with everything. */
  catchUp(): Promise<void>;
  /** Stops, and does what can be done in short. */
  finish(): Promise<void>;
}

export function createUpkeep({ database, path, queue }: FileAccess, tables: Tables): Upkeep {
  const { sessions, search } = tables;
  let behind = 0;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  let isFinished = false;

  /** False where there is nothing to settle. */
  function settleSome(): Promise<boolean> {
    return queue.write(() => {
      const rows = sessions.foreign(settledAtOnce);
      return () => {
        for (const row of rows) settle(tables, row);
        return rows.length === settledAtOnce;
      };
    });
  }

  function indexSome(): Promise<boolean> {
    return queue.write(() => () => {
      search.catchUp(pieceMs);
      return search.isBehind();
    });
  }

  const upkeep: Upkeep = {
    wrote(messages) {
      behind += messages;
      if (behind >= behindAtMost) work();
      else wait();
    },
    async settleAll() {
      while (sessions.hasForeign() && (await settleSome()));
    },
    async catchUp() {
      await upkeep.settleAll();
      behind = 0;
      while (search.isBehind() && (await indexSome()));
    },
    async finish() {
      isFinished = true;
      clearTimeout(timer);
      await working;
      try {
        for (let piece = 0; piece < closingPieces && search.isBehind(); piece += 1) await indexSome();
      } catch {
        // The index may stay behind: the next search, whoever does it, lets it catch up.
      }
    },
  };

  function wait(): void {
    if (isFinished || timer !== undefined) return;
    const before = behind;
    timer = setTimeout(() => {
      timer = undefined;
      if (behind === before) work();
      else wait();
    }, quietMs).unref();
  }

  function work(): void {
    if (isFinished || working !== undefined) return;
    working = onePiece()
      .catch(() => false)
      .then((isMore) => {
        working = undefined;
        // A failure is met again, and told, by the next search or write; upkeep itself has nobody to tell.
        if (isMore) setTimeout(work, 1).unref();
      });
  }

  async function onePiece(): Promise<boolean> {
    if (sessions.hasForeign()) await settleSome();
    const isMore = search.isBehind() && (await indexSome());
    if (!isMore) behind = 0;
    if (!isMore && logSize(path) > logAtMost) checkpoint(database);
    return isMore;
  }

  return upkeep;
}
