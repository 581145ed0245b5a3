import type { Database } from 'better-sqlite3';

/** A document's number is the session's, shifted, plus the seq: it survives VACUUM, which rowids of `messages` do not. */
export const highestSeq = 2 ** 31 - 1;
export const documentNumber = '((? << 31) + ?)';

/** Of a longer message only so much is found, so that no message holds everybody up. */
export const indexedLength = 200_000;

/** What the words of a message are compared by, in the index and in a query. */
export function folded(text: string): string {
  return text.toLowerCase().replaceAll('\u0000', '\ufffd');
}

/**
 * The search index. It follows the messages at a distance: indexing a message costs several times what storing it
 * does, and a batch of them much less than one by one. What it does not know yet is marked in the same transaction as
 * the change, and every search first lets it catch up.
 */
export interface SearchIndex {
  /** Takes messages that are gone out of the index: up to 1,000 now, the others before anybody searches. */
  forget(sessionNumber: number, firstSeq: number, lastSeq: number): void;
  isBehind(): boolean;
  /** Catches up for about so long, inside a write transaction. */
  catchUp(milliseconds: number): void;
}

/** `noteIndexed` is told which session's row was changed. */
export function createSearchIndex(database: Database, noteIndexed: (key: string) => void): SearchIndex {
  const forgetNow = database.prepare(
    `DELETE FROM message_search WHERE rowid IN (
       SELECT rowid FROM message_search WHERE rowid BETWEEN ${documentNumber} AND ${documentNumber}
       LIMIT ${forgottenAtOnce})`,
  );
  const forgetLater = database.prepare(
    `INSERT INTO search_removals(first, last) VALUES (${documentNumber}, ${documentNumber})`,
  );
  const isBehind = database
    .prepare<[], number>(
      `SELECT EXISTS(SELECT 1 FROM search_removals)
         OR EXISTS(SELECT 1 FROM sessions INDEXED BY sessions_unindexed WHERE unindexed_from IS NOT NULL)`,
    )
    .pluck();
  const removal = database.prepare<[], number>('SELECT id FROM search_removals ORDER BY id LIMIT 1').pluck();
  const removeSome = database.prepare(
    `DELETE FROM message_search WHERE rowid IN (
       SELECT f.rowid FROM search_removals r JOIN message_search f ON f.rowid BETWEEN r.first AND r.last
       WHERE r.id = ? LIMIT ${removedAtOnce})`,
  );
  const removed = database.prepare('DELETE FROM search_removals WHERE id = ?');
  const unindexed = database.prepare<[], { id: string; number: number; unindexed_from: number }>(
    `SELECT id, number, unindexed_from FROM sessions INDEXED BY sessions_unindexed
     WHERE unindexed_from IS NOT NULL AND number IS NOT NULL LIMIT 1`,
  );
  // SQLite's substr ends at a NUL, so only what is truly long is cut by it.
  const texts = database.prepare<[string, number], { seq: number; content: string }>(
    `SELECT seq, iif(octet_length(content) > ${indexedLength * 4}, substr(content, 1, ${indexedLength}), content) AS content
     FROM messages
     WHERE session_id = ? AND seq >= ? ORDER BY seq LIMIT ${indexedAtOnce}`,
  );
  const index = database.prepare(
    `INSERT OR REPLACE INTO message_search(rowid, text) VALUES (${documentNumber}, ?)`,
  );
  const mark = database.prepare('UPDATE sessions SET unindexed_from = ? WHERE id = ?');

  function indexSome(deadline: number): boolean {
    const session = unindexed.get();
    if (session === undefined) return false;
    noteIndexed(session.id);
    const rows = texts.all(session.id, session.unindexed_from);
    let next: number | null = null;
    for (const { seq, content } of rows) {
      if (next !== null && performance.now() > deadline) {
        mark.run(seq, session.id);
        return false;
      }
      index.run(session.number, seq, folded(content.slice(0, indexedLength)));
      next = seq + 1;
    }
    mark.run(rows.length < indexedAtOnce ? null : next, session.id);
    return true;
  }

  return {
    forget(number, firstSeq, lastSeq) {
      const { changes } = forgetNow.run(number, firstSeq, number, lastSeq);
      if (changes === forgottenAtOnce) forgetLater.run(number, firstSeq, number, lastSeq);
    },
    isBehind: () => isBehind.get() === 1,
    catchUp(milliseconds) {
      const deadline = performance.now() + milliseconds;
      // What is gone first: a number may come again where PicoBot counted from 1 anew.
      for (let id = removal.get(); id !== undefined; id = removal.get()) {
        if (removeSome.run(id).changes < removedAtOnce) removed.run(id);
        if (performance.now() > deadline) return;
      }
      while (indexSome(deadline) && performance.now() < deadline);
    },
  };
}

/** In the transaction that removes the messages themselves: some ten milliseconds. */
const forgottenAtOnce = 1000;
const removedAtOnce = 200;
const indexedAtOnce = 64;
