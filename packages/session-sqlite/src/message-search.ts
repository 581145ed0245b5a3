import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  messageText,
  type SearchHit,
  type SearchPage,
  type SearchQuery,
  Unsupported,
} from '@x/session-store';
import type { Database } from 'better-sqlite3';
import { type MessageRow, messageColumns, messageOf } from './message-row.js';
import { folded, highestSeq } from './search-index.js';
import { nameOf, storedName, wellFormed } from './stored-name.js';
import { unixOf } from './unix-time.js';

export type BoundedQuery = SearchQuery & { readonly limit: number };
/** A message that may be a hit, and where the look goes on behind it. */
type CandidateRow = readonly [place: number, sessionId: string, ...MessageRow];
interface Look {
  readonly candidates: readonly CandidateRow[];
  /** Undefined where there is nothing further. */
  readonly next: number | undefined;
}

/** Letters in a token of the index: a shorter text is looked for in the messages themselves. */
const gramLength = 3;
/** More of them narrow nothing further down: a candidate is compared with the whole text anyway. */
const gramsAtMost = 32;
const lookAtMost = 500;

/**
 * Finds the messages that hold a text, in any case of letters: the best first (the more of the message it is, the
 * better); a text of one or two letters newest first, by a pass over the messages that gives way to others.
 */
export function createMessageSearch(
  database: Database,
  read: <T>(task: () => T) => Promise<T>,
): (text: string, query: BoundedQuery, cursor?: string) => Promise<SearchPage> {
  return async (text, query, cursor) => {
    const needle = folded(text);
    const isShort = [...needle].length < gramLength;
    const look = isShort ? newestFirst(database, needle, query) : bestFirst(database, needle, query);
    let place: number | undefined = placeOf(cursor) ?? (isShort ? Number.MAX_SAFE_INTEGER : 0);
    const hits: SearchHit[] = [];
    while (place !== undefined) {
      const from: number = place;
      const { candidates, next }: Look = await read(() => look(from));
      for (const [at, sessionId, ...row] of candidates) {
        const message = messageOf(row);
        const content = messageText(message);
        const found = folded(content).indexOf(needle);
        if (found < 0) continue;
        if (hits.length === query.limit) return { hits, nextCursor: String(place) };
        hits.push({ key: nameOf(sessionId), message, snippet: snippet(content, found, text.length) });
        place = isShort ? at : at + 1;
      }
      place = next;
      await nextTurn();
    }
    return { hits };
  };
}

function bestFirst(database: Database, needle: string, query: BoundedQuery): (offset: number) => Look {
  const { where, values } = filters(query);
  const inSession =
    query.key === undefined
      ? ''
      : `AND f.rowid BETWEEN (SELECT number << 31 FROM sessions WHERE id = ?)
           AND (SELECT (number << 31) + ${highestSeq} FROM sessions WHERE id = ?)`;
  const session = query.key === undefined ? [] : [storedName(query.key), storedName(query.key)];
  const statement = database
    .prepare<unknown[], CandidateRow>(
      `SELECT 0, s.id, ${messageColumns}
       FROM message_search f
       CROSS JOIN sessions s ON s.number = (f.rowid >> 31)
       CROSS JOIN messages m ON m.session_id = s.id AND m.seq = (f.rowid & ${highestSeq})
       WHERE f.message_search MATCH ? ${inSession} AND ${where}
       ORDER BY f.rank LIMIT ? OFFSET ?`,
    )
    .raw();
  const grams = gramsOf(needle);
  const limit = Math.min(lookAtMost, query.limit + 10);
  return (offset) => {
    const candidates = statement
      .all(grams, ...session, ...values, limit, offset)
      .map(([, ...row], index): CandidateRow => [offset + index, ...row]);
    return { candidates, next: candidates.length < limit ? undefined : offset + candidates.length };
  };
}

function newestFirst(database: Database, needle: string, query: BoundedQuery): (below: number) => Look {
  const { where, values } = filters(query);
  const place = query.key === undefined ? 'm.rowid' : 'm.seq';
  const within = query.key === undefined ? '' : 'AND m.session_id = ?';
  const session = query.key === undefined ? [] : [storedName(query.key)];
  const lowest = database.prepare<unknown[], { place: number | null; count: number }>(
    `SELECT min(place) AS place, count(*) AS count FROM
       (SELECT ${place} AS place FROM messages m WHERE ${place} < ? ${within} ORDER BY ${place} DESC LIMIT ${lookAtMost})`,
  );
  const statement = database
    .prepare<unknown[], CandidateRow>(
      `SELECT ${place}, s.id, ${messageColumns} FROM messages m CROSS JOIN sessions s ON s.id = m.session_id
       WHERE ${place} < ? AND ${place} >= ? ${within} AND instr(holdfast_folded(m.content), ?) > 0 AND ${where}
       ORDER BY ${place} DESC`,
    )
    .raw();
  return (below) => {
    const window = lowest.get(below, ...session);
    if (window === undefined || window.place === null) return { candidates: [], next: undefined };
    return {
      candidates: statement.all(below, window.place, ...session, wellFormed(needle), ...values),
      next: window.count < lookAtMost ? undefined : window.place,
    };
  };
}

function filters(query: BoundedQuery) {
  const conditions: readonly (readonly [string, ...(string | number)[]])[] = [
    ['s.deleted_at IS NULL'],
    ["m.seq > coalesce(json_extract(s.bin_json, '$.throughSeq'), 0)"],
    ...(query.segment === 'all' ? [] : [['m.seq > s.reset_cutoff_seq'] as const]),
    ...(query.key === undefined ? [] : [['s.id = ?', storedName(query.key)] as const]),
    ...(query.channel === undefined ? [] : [['s.channel_name = ?', query.channel] as const]),
    ...(query.agentId === undefined ? [] : [['s.agent_id = ?', query.agentId] as const]),
    ...(query.role === undefined ? [] : [['m.role = ?', query.role] as const]),
    ...(query.since === undefined ? [] : [['m.created_at >= ?', unixOf(query.since)] as const]),
    ...(query.until === undefined ? [] : [['m.created_at <= ?', unixOf(query.until)] as const]),
  ];
  return {
    where: conditions.map(([text]) => text).join(' AND '),
    values: conditions.flatMap(([, ...rest]) => rest),
  };
}

/** Every run of three letters, all of which a hit must hold. */
function gramsOf(needle: string): string {
  const letters = [...wellFormed(needle)];
  const grams = new Set<string>();
  for (let start = 0; start + gramLength <= letters.length && grams.size < gramsAtMost; start += 1) {
    grams.add(letters.slice(start, start + gramLength).join(''));
  }
  return [...grams].map((each) => `"${each.replaceAll('"', '""')}"`).join(' AND ');
}

function snippet(content: string, found: number, length: number): string {
  return content.slice(Math.max(0, found - 40), found + Math.max(80, length + 40));
}

function placeOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (/^\d{1,16}$/.test(cursor)) return Number(cursor);
  throw new Unsupported('search: the cursor is not one that search gave. Begin again without it.');
}
