import type { SearchQuery } from '@x/session-store';
import type { Database } from 'better-sqlite3';
import { highestSeq } from './search-index.js';
import { wellFormed } from './stored-text.js';
import { unixOf } from './unix-time.js';

/** A message that may hold the text. */
export interface Candidate {
  readonly sessionId: string;
  readonly seq: number;
  readonly createdAt: number;
  readonly content: string;
  /** Set where the text of the message is more than `content`. */
  readonly contentJson: string | null;
  readonly place: Place;
}

/** Where a look goes on: two numbers that fall from candidate to candidate. */
export type Place = readonly [number, number];
export const firstPlace: Place = [highestSeq, highestSeq];

/** Those behind a place, and the place behind them; undefined where there are no more. */
export type Candidates = (behind: Place) => {
  readonly candidates: readonly Candidate[];
  readonly next: Place | undefined;
};

/** A look takes a few milliseconds, then others get their turn. */
export const candidatesAtOnce = 500;
/** Letters in a token of the index: a shorter text is looked for in the messages themselves. */
const gramLength = 3;
/** More of them narrow nothing further down: a candidate is compared with the whole text anyway. */
const gramsAtMost = 32;

type CandidateRow = readonly [
  first: number,
  second: number,
  sessionId: string,
  seq: number,
  createdAt: number,
  content: string,
  contentJson: string | null,
];
const columns = 's.id, m.seq, m.created_at, m.content, m.content_json';

export function isInIndex(needle: string): boolean {
  return [...needle].length >= gramLength;
}

/** By the index: newest sessions first, newest messages first in each. */
export function indexedCandidates(database: Database, needle: string, query: SearchQuery): Candidates {
  const { where, values } = filters(query);
  const statement = database
    .prepare<unknown[], CandidateRow>(
      `SELECT f.rowid >> 31, f.rowid & ${highestSeq}, ${columns}
       FROM message_search f
       CROSS JOIN sessions s ON s.number = (f.rowid >> 31)
       CROSS JOIN messages m ON m.session_id = s.id AND m.seq = (f.rowid & ${highestSeq})
       WHERE f.message_search MATCH ? AND f.rowid < ((? << 31) + ?)
         ${query.key === undefined ? '' : `AND f.rowid > (SELECT (number << 31) FROM sessions WHERE id = ?)`}
         AND ${where}
       ORDER BY f.rowid DESC LIMIT ${candidatesAtOnce}`,
    )
    .raw();
  const numberOf = database.prepare<[string], number>('SELECT number FROM sessions WHERE id = ?').pluck();
  const grams = gramsOf(needle);
  return (behind) => {
    let below = behind;
    if (query.key !== undefined) {
      const number = numberOf.get(query.key);
      if (number === undefined) return { candidates: [], next: undefined };
      if (below[0] > number) below = [number, highestSeq];
    }
    const session = query.key === undefined ? [] : [query.key];
    const candidates = statement.all(grams, ...below, ...session, ...values).map(candidateOf);
    return {
      candidates,
      next: candidates.length < candidatesAtOnce ? undefined : candidates.at(-1)?.place,
    };
  };
}

/** By a pass over the messages, the last stored first. */
export function scannedCandidates(database: Database, needle: string, query: SearchQuery): Candidates {
  const { where, values } = filters(query);
  const place = query.key === undefined ? 'm.rowid' : 'm.seq';
  const within = query.key === undefined ? '' : 'AND m.session_id = ?';
  const session = query.key === undefined ? [] : [query.key];
  const lowest = database.prepare<unknown[], { place: number | null; count: number }>(
    `SELECT min(place) AS place, count(*) AS count FROM (
       SELECT ${place} AS place FROM messages m WHERE ${place} < ? ${within}
       ORDER BY ${place} DESC LIMIT ${candidatesAtOnce})`,
  );
  const statement = database
    .prepare<unknown[], CandidateRow>(
      `SELECT ${place}, 0, ${columns} FROM messages m CROSS JOIN sessions s ON s.id = m.session_id
       WHERE ${place} < ? AND ${place} >= ? ${within} AND instr(holdfast_folded(m.content), ?) > 0 AND ${where}
       ORDER BY ${place} DESC`,
    )
    .raw();
  return ([behind]) => {
    const below = behind === highestSeq ? Number.MAX_SAFE_INTEGER : behind;
    const window = lowest.get(below, ...session);
    if (window === undefined || window.place === null) return { candidates: [], next: undefined };
    const rows = statement.all(below, window.place, ...session, wellFormed(needle), ...values);
    return {
      candidates: rows.map(candidateOf),
      next: window.count < candidatesAtOnce ? undefined : [window.place, 0],
    };
  };
}

function candidateOf([
  first,
  second,
  sessionId,
  seq,
  createdAt,
  content,
  contentJson,
]: CandidateRow): Candidate {
  return { place: [first, second], sessionId, seq, createdAt, content, contentJson };
}

function filters(query: SearchQuery) {
  const conditions: readonly (readonly [string, ...(string | number)[]])[] = [
    ['s.deleted_at IS NULL'],
    ["m.seq > coalesce(json_extract(s.bin_json, '$.throughSeq'), 0)"],
    ...(query.segment === 'all' ? [] : [['m.seq > s.reset_cutoff_seq'] as const]),
    ...(query.key === undefined ? [] : [['s.id = ?', query.key] as const]),
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

/** Runs of three letters, all of which a hit must hold. */
function gramsOf(needle: string): string {
  const letters = [...wellFormed(needle)];
  const grams = new Set<string>();
  for (let start = 0; start + gramLength <= letters.length && grams.size < gramsAtMost; start += 1) {
    grams.add(letters.slice(start, start + gramLength).join(''));
  }
  return [...grams].map((each) => `"${each.replaceAll('"', '""')}"`).join(' AND ');
}
