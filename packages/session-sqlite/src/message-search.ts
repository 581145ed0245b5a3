import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  messageText,
  type SearchHit,
  type SearchPage,
  type SearchQuery,
  type StoredMessage,
  Unsupported,
} from '@x/session-store';
import type { Database } from 'better-sqlite3';
import {
  type Candidate,
  type Candidates,
  firstPlace,
  indexedCandidates,
  isInIndex,
  type Place,
  scannedCandidates,
} from './search-candidates.js';
import { folded } from './search-index.js';

export type BoundedQuery = SearchQuery & { readonly limit: number };
interface Match {
  readonly candidate: Candidate;
  readonly score: number;
}
interface Stretch {
  readonly matches: readonly Match[];
  readonly next: Place | undefined;
}
/** A page begins so many hits into the stretch that begins behind a place. */
interface Cursor {
  readonly stretch: Place;
  readonly skip: number;
}

/** Matches that are ranked against each other; what a search holds in memory and costs at most. */
const rankedTogether = 2000;

/**
 * Finds the messages that hold a text, in any case of letters. The best come first: the more often it is in a message
 * and the shorter the message, the better, of equal ones the newer. A text of one or two letters is found newest first.
 */
export function createMessageSearch(
  database: Database,
  read: <T>(task: () => T) => Promise<T>,
  load: (sessionId: string, seq: number) => StoredMessage | undefined,
): (text: string, query: BoundedQuery, cursor?: string) => Promise<SearchPage> {
  return async (text, query, cursor) => {
    const needle = folded(text);
    const isRanked = isInIndex(needle);
    const candidates = isRanked
      ? indexedCandidates(database, needle, query)
      : scannedCandidates(database, needle, query);
    const hits: SearchHit[] = [];
    let at: Cursor | undefined = cursor === undefined ? { stretch: firstPlace, skip: 0 } : cursorOf(cursor);
    while (at !== undefined) {
      const stretch: Place = at.stretch;
      const skip: number = at.skip;
      const { matches, next }: Stretch = await matchesOf(
        candidates,
        needle,
        stretch,
        skip + query.limit,
        isRanked,
        read,
      );
      const page = matches.slice(skip, skip + query.limit - hits.length);
      for (const { candidate } of page) {
        const message = await read(() => load(candidate.sessionId, candidate.seq));
        if (message === undefined) continue;
        const content = messageText(message);
        const snippet = snippetOf(content, folded(content).indexOf(needle), text.length);
        hits.push({ key: candidate.sessionId, message, snippet });
      }
      const taken: number = skip + page.length;
      const rest: Cursor | undefined =
        taken < matches.length ? { stretch, skip: taken } : next && { stretch: next, skip: 0 };
      if (hits.length === query.limit && rest !== undefined) return { hits, nextCursor: textOf(rest) };
      at = rest;
    }
    return { hits };
  };
}

/** The matches of a stretch in their order. It is always the same stretch, so that a page may begin within. */
async function matchesOf(
  candidates: Candidates,
  needle: string,
  stretch: Place,
  wanted: number,
  isRanked: boolean,
  read: <T>(task: () => T) => Promise<T>,
): Promise<Stretch> {
  const matches: Match[] = [];
  let next: Place | undefined = stretch;
  while (next !== undefined && matches.length < (isRanked ? rankedTogether : wanted)) {
    const behind: Place = next;
    const look = await read(() => candidates(behind));
    for (const candidate of look.candidates) {
      const score = scoreOf(candidate, needle);
      if (score > 0) matches.push({ candidate, score });
    }
    next = look.next;
    await nextTurn();
  }
  if (isRanked)
    matches.sort((left, right) => right.score - left.score || newer(left.candidate, right.candidate));
  return { matches, next };
}

/** How much of the message the text is; 0 where it is not in it at all. */
function scoreOf({ content, contentJson }: Candidate, needle: string): number {
  const text = folded(contentJson === null ? content : messageText({ content: JSON.parse(contentJson) }));
  if (needle === '') return 1;
  let times = 0;
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) times += 1;
  // The first time counts most, and a message of usual length is neither better nor worse for it.
  return times / (times + 0.25 + text.length / 400);
}

function newer(left: Candidate, right: Candidate): number {
  return right.createdAt - left.createdAt || right.seq - left.seq;
}

function snippetOf(content: string, found: number, length: number): string {
  const start = Math.max(0, found - 40);
  return content.slice(start, start + Math.max(120, length + 80));
}

function textOf({ stretch, skip }: Cursor): string {
  return [...stretch, skip].join('.');
}

function cursorOf(text: string): Cursor {
  const match = /^(\d{1,15})\.(\d{1,10})\.(\d{1,10})$/.exec(text);
  if (match === null) {
    throw new Unsupported('search: the cursor is not one that search gave. Begin again without it.');
  }
  return { stretch: [Number(match[1]), Number(match[2])], skip: Number(match[3]) };
}
