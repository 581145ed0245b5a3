import type { JsonObject } from './json-object.js';
import type { Transcript } from './transcript.js';

/** One transcript of a session: a reset closes it and begins the next. */
export interface Generation {
  readonly sessionId: string;
  /** The file, or the database in which it lies. */
  readonly path: string;
  /** The name of its file here and in an export. */
  readonly file: string;
  /** Why it ended; absent for the current one. */
  readonly reason?: string;
  /** ISO 8601. */
  readonly endedAt?: string;
  /** Undefined where the transcript is not there. Rejects where it cannot be read. */
  load(): Promise<Transcript | undefined>;
  /** Another text each time that the transcript has changed. */
  stamp(): string;
}

export interface OtherEntry {
  /** As it stands in the index. */
  readonly key: string;
  readonly entry: JsonObject;
  readonly position: number;
}

/** A session and where its parts lie, before its transcripts are read. */
export interface SessionPlan {
  readonly key: string;
  readonly agentId: string;
  /** Its entry in the index, as it stands there; empty for a transcript that no index names. */
  readonly entry: JsonObject;
  /** Its place in the index, from 0. */
  readonly position: number;
  /** Other keys that lead to it. */
  readonly aliases: readonly string[];
  /** Entries of the index that are this session as well. */
  readonly others: readonly OtherEntry[];
  /** The spelling of its key in the index, where it is another. */
  readonly writtenKey: string;
  /** Oldest first; the last is the current one. */
  readonly generations: readonly Generation[];
  /** Where its entry lies. */
  readonly path: string;
}
