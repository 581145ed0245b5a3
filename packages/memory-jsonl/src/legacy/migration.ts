import { isDeepStrictEqual } from 'node:util';
import {
  type ExportEntry,
  InvalidKey,
  InvalidMessage,
  type JsonValue,
  MessageTooLarge,
  type SessionBackend,
  type SessionMeta,
  StoreCorrupt,
} from '@x/session-store';
import type { LegacySession } from './legacy-file.js';
import { readLegacyFiles } from './legacy-folder.js';
import { readTaken } from './taken-record.js';

/** One legacy file whose session is in the store. */
export interface LegacyCopy {
  /** The file's name. */
  readonly file: string;
  readonly digest: string;
  readonly key: string;
  readonly messages: number;
}

/** A file that was left where it is, and why. */
export interface LegacyProblem {
  readonly file: string;
  readonly key?: string;
  /**
   * - `unreadable`: no JSON, or not messages throughout.
   * - `duplicate`: another file holds the same session.
   * - `conflict`: the store has this session with other content: nothing is written over it.
   * - `refused`: the store takes no such key or message.
   */
  readonly code: 'unreadable' | 'duplicate' | 'conflict' | 'refused';
  readonly message: string;
}

export interface LegacyMigration {
  /** Copied by this run. */
  readonly copied: readonly LegacyCopy[];
  /** In the store already. */
  readonly present: readonly LegacyCopy[];
  readonly problems: readonly LegacyProblem[];
}

/**
 * Copies the sessions of PicoClaw's one-file-a-session format into a store and reads each back. Changes nothing in
 * the folder. Where it rejects, what it had copied is gone from the store again; what even that could not take away
 * is known by its mark and replaced by the next run. A second run copies nothing.
 *
 * A session that the store has already is never written over: it is `present` where it came from that file or
 * begins with the file's messages, and a `conflict` otherwise.
 */
export async function migrateFromJson(
  directory: string,
  backend: SessionBackend,
  options: { readonly now?: () => Date } = {},
): Promise<LegacyMigration> {
  const { now = () => new Date() } = options;
  const taken = await readTaken(directory);
  // Looked up where a file asks for it: most folders have none.
  let deleted: ReadonlyMap<string, SessionMeta> | undefined;
  const files = new Map<string, string>();
  const begun: string[] = [];
  const copied: LegacyCopy[] = [];
  const present: LegacyCopy[] = [];
  const problems: LegacyProblem[] = [];
  const leave = (problem: LegacyProblem) => void problems.push(problem);
  const copies = createCopyLanes();
  try {
    for await (const found of readLegacyFiles(directory, now)) {
      const { file } = found;
      if ('reason' in found) {
        leave({ file, code: 'unreadable', message: `${file}: ${found.reason}; left where it is.` });
        continue;
      }
      const { digest, session } = found;
      const { key } = session.meta;
      const copy = { file, digest, key, messages: session.messages.length };
      const other = files.get(key);
      if (taken.has(digest)) present.push(copy);
      else if (other !== undefined) {
        const message = `${file}: the session "${key}" lies in ${other} as well, which was taken; left where it is.`;
        leave({ file, key, code: 'duplicate', message });
      } else {
        files.set(key, file);
        deleted ??= await deletedSessions(backend);
        const known = deleted;
        await copies.run(async () => {
          const fate = await take(backend, withMark(session, file, digest), digest, known, begun);
          if (fate === 'copied') copied.push(copy);
          else if (fate === 'present') present.push(copy);
          else if (fate === 'conflict') {
            const message = `${file}: the store has a session "${key}" with other content; left where it is.`;
            leave({ file, key, code: 'conflict', message });
          } else leave({ file, key, code: 'refused', message: `${file}: ${fate.message} Left where it is.` });
        });
      }
    }
    await copies.end();
  } catch (error) {
    await copies.end().catch(() => {});
    for (const key of begun) await undo(backend, key).catch(() => {});
    throw error;
  }
  const byFile = (one: { readonly file: string }, other: { readonly file: string }) =>
    one.file < other.file ? -1 : 1;
  return { copied: copied.sort(byFile), present: present.sort(byFile), problems: problems.sort(byFile) };
}

const copiesAtOnce = 16;

/** Copies that wait for the disk together. Invariant: after one has failed, none is begun. */
function createCopyLanes() {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  return {
    /** Begins a copy once there is room for it. Rejects where one has failed. */
    async run(copy: () => Promise<void>): Promise<void> {
      while (running.size >= copiesAtOnce) await Promise.race(running);
      if (failures.length > 0) throw failures[0];
      const task = copy()
        .catch((error: unknown) => void failures.push(error))
        .finally(() => running.delete(task));
      running.add(task);
    },
    /** Waits for all. Rejects where one has failed. */
    async end(): Promise<void> {
      await Promise.all(running);
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Copies one session, unless it is there. Resolves to an error where the session itself is why it cannot be. */
async function take(
  backend: SessionBackend,
  session: LegacySession,
  digest: string,
  deleted: ReadonlyMap<string, SessionMeta>,
  begun: string[],
): Promise<'copied' | 'present' | 'conflict' | Error> {
  const { key } = session.meta;
  try {
    const fate = await fateOf(backend, session, digest, deleted);
    if (fate === 'present' || fate === 'conflict') return fate;
    if (fate === 'replace') await undo(backend, key);
    begun.push(key);
    await backend.import(entriesOf(session));
  } catch (error) {
    if (error instanceof InvalidKey) return error;
    if (!(error instanceof InvalidMessage || error instanceof MessageTooLarge)) throw error;
    await undo(backend, key);
    return error;
  }
  if (await isThere(backend, session)) return 'copied';
  throw new StoreCorrupt(`Session "${key}" did not come back as it was copied.`, { key });
}

/** Says in the session itself where it came from, so that a later run knows it, whatever happened to this one. */
function withMark({ meta, messages }: LegacySession, file: string, digest: string): LegacySession {
  const legacy = { file, digest, revision: meta.revision };
  return { meta: { ...meta, attributes: { ...meta.attributes, legacy } }, messages };
}

interface Mark {
  readonly digest: JsonValue | undefined;
  /** Nothing but this migration has had the session in hand. */
  readonly isOurs: boolean;
}

function markOf(meta: SessionMeta): Mark | undefined {
  const { legacy } = meta.attributes;
  if (typeof legacy !== 'object' || legacy === null || !('digest' in legacy)) return undefined;
  return { digest: legacy.digest, isOurs: 'undone' in legacy || legacy.revision === meta.revision };
}

async function fateOf(
  backend: SessionBackend,
  session: LegacySession,
  digest: string,
  deleted: ReadonlyMap<string, SessionMeta>,
): Promise<'new' | 'replace' | 'present' | 'conflict'> {
  const { key } = session.meta;
  const stored = (await backend.meta(key)) ?? deleted.get(key);
  if (stored === undefined) return 'new';
  const mark = markOf(stored);
  if (mark === undefined) return (await beginsWith(backend, session)) ? 'present' : 'conflict';
  if (!mark.isOurs) return mark.digest === digest ? 'present' : 'conflict';
  // Left by a run that did not come to its end, unless it is whole.
  return mark.digest === digest && (await isThere(backend, session)) ? 'present' : 'replace';
}

function* entriesOf({ meta, messages }: LegacySession): Generator<ExportEntry> {
  yield { type: 'session', session: meta };
  for (const message of messages) yield { type: 'message', key: meta.key, message };
}

const messagesAtOnce = 256;

async function isThere(backend: SessionBackend, { meta, messages }: LegacySession): Promise<boolean> {
  // A deleted session shows nobody its messages.
  if (meta.deletedAt !== undefined) return (await deletedSessions(backend)).has(meta.key);
  const stored = await backend.meta(meta.key);
  if (stored === undefined || !isDeepStrictEqual(outline(stored), outline(meta))) return false;
  const hidden = meta.bin?.throughSeq ?? 0;
  const visible = messages.filter(({ seq }) => seq > hidden);
  for (let from = 0; from < visible.length; from += messagesAtOnce) {
    const wanted = visible.slice(from, from + messagesAtOnce);
    const range = { segment: 'all', after: (wanted[0]?.seq ?? 1) - 1, limit: wanted.length } as const;
    if (!isDeepStrictEqual(await backend.read(meta.key, range), wanted)) return false;
  }
  return true;
}

function outline(meta: SessionMeta) {
  const { summary, createdAt, updatedAt, messageCount, activeCount, lastSeq, cutoff, aliases } = meta;
  return { summary, createdAt, updatedAt, messageCount, activeCount, lastSeq, cutoff, aliases };
}

/** True where the stored history begins with these words: somebody has moved this file before. */
async function beginsWith(backend: SessionBackend, { meta, messages }: LegacySession): Promise<boolean> {
  const stored = await backend.read(meta.key, { segment: 'all', limit: messages.length });
  const words = ({ role, content }: LegacySession['messages'][number]) => ({ role, content });
  return isDeepStrictEqual(stored.map(words), messages.map(words));
}

async function deletedSessions(backend: SessionBackend): Promise<ReadonlyMap<string, SessionMeta>> {
  const found = new Map<string, SessionMeta>();
  let cursor: string | undefined;
  do {
    const page = await backend.list({ deleted: true, limit: 1000 }, cursor);
    for (const meta of page.sessions) found.set(meta.key, meta);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

/** Takes a copy away again. Marked first, so that one which stays in the bin is not taken for somebody's choice. */
async function undo(backend: SessionBackend, key: string): Promise<void> {
  const stored = await backend.meta(key);
  if (stored !== undefined) {
    const { legacy } = stored.attributes;
    const mark = typeof legacy === 'object' && legacy !== null ? legacy : {};
    await backend.ensure(key, { attributes: { legacy: { ...mark, undone: true } } });
    await backend.delete(key);
  }
  if ((await deletedSessions(backend)).has(key)) await backend.purge(key);
}
