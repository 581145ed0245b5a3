import { randomUUID } from 'node:crypto';
import { link, mkdir, open, rename, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  type ExportEntry,
  type JsonValue,
  type SessionMeta,
  type StoredMessage,
  StoreLocked,
} from '@x/session-store';
import { bytesIfThere } from '../file-if-there.js';
import { INDEX } from '../folder-listing.js';
import { type IndexUpdateOptions, updateIndex } from '../index-file.js';
import { lockIndex } from '../index-lock.js';
import { isObject, type JsonObject } from '../json-object.js';
import { TRANSCRIPT_STALE_MS } from '../lock-holder.js';
import { sessionIdOf, updatedAtOf } from '../session-index.js';
import { type WrittenSession, writeSession } from './session-writer.js';
import { beginsWith, writeTranscript } from './transcript-writer.js';

/** What became of one session. */
export interface WrittenOutcome {
  readonly key: string;
  readonly messages: number;
  /**
   * `copied`: it is there now. `present`: it was there, byte for byte. `newer`: it came from there, is as it was, and has
   * gone on there. `failed`: the error says why; nothing of it was written over. `left`: it is deleted, and OpenClaw has
   * no bin.
   */
  readonly status: 'copied' | 'present' | 'newer' | 'failed' | 'left';
  readonly error?: string;
}

/**
 * Writes sessions in OpenClaw's layout of files below `directory`, its state folder. Transcripts only grow; one that
 * is there and differs is left alone. The index is changed under its lock, with what it held kept as a backup. Can be
 * repeated: what is there already is passed over.
 */
export async function writeOpenclawFolder(
  directory: string,
  entries: AsyncIterable<ExportEntry> | Iterable<ExportEntry>,
  options: IndexUpdateOptions = {},
): Promise<readonly WrittenOutcome[]> {
  const root = resolve(directory);
  const outcomes: WrittenOutcome[] = [];
  const done = new Map<string, { readonly session: WrittenSession; readonly outcome: number }[]>();
  for await (const { meta, messages } of sessionsOf(entries)) {
    const { key } = meta;
    const count = messages.length;
    if (meta.deletedAt !== undefined) {
      outcomes.push({ key, messages: count, status: 'left', error: 'It is deleted.' });
      continue;
    }
    const visible = messages.filter(({ seq }) => seq > (meta.bin?.throughSeq ?? 0));
    const session = writeSession(meta, visible);
    const folder = join(root, 'agents', session.agentId, 'sessions');
    try {
      const status = await writeFiles(folder, session, options);
      const outcome = outcomes.push({ key, messages: visible.length, status }) - 1;
      // Its messages are written; only the entry is still needed.
      const written = { session: { ...session, files: [] }, outcome };
      const others = done.get(folder);
      if (others === undefined) done.set(folder, [written]);
      else others.push(written);
    } catch (error) {
      // OpenClaw is at work on this one: the others can be written.
      if (!(error instanceof TranscriptDiffers || error instanceof StoreLocked)) throw error;
      outcomes.push({ key, messages: visible.length, status: 'failed', error: error.message });
    }
  }
  for (const [folder, sessions] of done) {
    const changed = await writeEntries(folder, sessions, options);
    for (const { outcome, ...fate } of changed) {
      const before = outcomes[outcome];
      if (before !== undefined) outcomes[outcome] = { ...before, ...fate };
    }
  }
  return outcomes;
}

class TranscriptDiffers extends Error {}

async function* sessionsOf(
  entries: AsyncIterable<ExportEntry> | Iterable<ExportEntry>,
): AsyncGenerator<{ readonly meta: SessionMeta; readonly messages: readonly StoredMessage[] }> {
  let meta: SessionMeta | undefined;
  let messages: StoredMessage[] = [];
  for await (const entry of entries) {
    if (entry.type === 'message') {
      messages.push(entry.message);
      continue;
    }
    if (meta !== undefined) yield { meta, messages };
    meta = entry.session;
    messages = [];
  }
  if (meta !== undefined) yield { meta, messages };
}

/** All of a session's files are made before the first is touched. */
async function writeFiles(
  folder: string,
  { files, isUnchanged }: WrittenSession,
  options: IndexUpdateOptions,
): Promise<'copied' | 'present' | 'newer'> {
  let hasGoneOn = false;
  const plans: FilePlan[] = [];
  for (const { name, formerName, segment } of files) {
    const path = join(folder, name);
    const former = formerName === undefined ? undefined : join(folder, formerName);
    const there = await bytesIfThere(path);
    const before = former === undefined ? undefined : await bytesIfThere(former);
    const whole = writeTranscript(segment);
    if (isUnchanged && there !== undefined && there.length > whole.length && beginsWith(there, whole)) {
      hasGoneOn = true;
      continue;
    }
    const bytes = writeTranscript(segment, there ?? before);
    if (bytes === undefined || (before !== undefined && !beginsWith(bytes, before)))
      throw new TranscriptDiffers(
        `${before === undefined ? path : former} is there already and holds something else.`,
      );
    const isMissing = there === undefined && bytes.length > 0;
    if (isMissing || (there !== undefined && there.length < bytes.length) || before !== undefined)
      plans.push({ path, bytes, isNew: there === undefined, ...(before === undefined ? {} : { former }) });
  }
  if (plans.length > 0) await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const plan of plans) await writeFile(plan, options);
  return hasGoneOn ? 'newer' : plans.length > 0 ? 'copied' : 'present';
}

interface FilePlan {
  readonly path: string;
  readonly bytes: Buffer;
  readonly isNew: boolean;
  /** The file that it was while it was the current one, where that is still there. */
  readonly former?: string | undefined;
}

async function writeFile(
  { path, bytes, isNew, former }: FilePlan,
  options: IndexUpdateOptions,
): Promise<void> {
  const busy = former ?? path;
  const lock =
    isNew && former === undefined
      ? undefined
      : await lockIndex(busy, { ...options, staleMs: TRANSCRIPT_STALE_MS });
  try {
    // Another program may have gone on with it since it was looked at.
    const now = lock === undefined ? undefined : await bytesIfThere(busy);
    if (now !== undefined && !beginsWith(bytes, now))
      throw new TranscriptDiffers(`${busy} was written to by another program at the same moment.`);
    await writeWhole(path, bytes, isNew);
    if (former !== undefined) await unlink(former);
  } finally {
    await lock?.release();
  }
}

/** The file is there as a whole or not at all; one that came to be meanwhile is not written over. */
async function writeWhole(path: string, bytes: Buffer, isNew: boolean): Promise<void> {
  const part = `${path}.${process.pid}.${randomUUID()}.tmp`;
  const file = await open(part, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    if (isNew) {
      await link(part, path);
      await unlink(part);
    } else await rename(part, path);
  } catch (error) {
    await unlink(part);
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new TranscriptDiffers(`${path} was made by another program at the same moment.`);
  }
  if (process.platform === 'win32') return;
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

interface ChangedEntry {
  readonly outcome: number;
  readonly status: 'copied' | 'newer' | 'failed';
  readonly error?: string;
}

async function writeEntries(
  folder: string,
  sessions: readonly { readonly session: WrittenSession; readonly outcome: number }[],
  options: IndexUpdateOptions,
): Promise<readonly ChangedEntry[]> {
  const inOrder = sessions
    .flatMap(({ session, outcome }) => [
      { ...session, outcome, isOther: false },
      ...session.others.map((other) => ({ ...session, ...other, outcome, isOther: true })),
    ])
    .sort((one, other) => one.position - other.position);
  let changed: ChangedEntry[] = [];
  const change = (entries: Map<string, JsonValue>): boolean => {
    changed = [];
    for (const { outcome, isOther, ...session } of inOrder) {
      const there = entries.get(session.key);
      // What was another name of it is put back, and never written over.
      if (isOther && there !== undefined) continue;
      if (isDeepStrictEqual(there, session.entry)) continue;
      if (isObject(there) && !mayReplace(there, session)) {
        const error = `The index has another session under ${session.key}, or one that has gone on.`;
        const isBehind = session.isUnchanged && session.sessionIds.includes(sessionIdOf(there));
        changed.push({ outcome, ...(isBehind ? { status: 'newer' } : { status: 'failed', error }) });
        continue;
      }
      entries.set(session.key, isObject(there) ? { ...withoutOurs(there), ...session.entry } : session.entry);
      changed.push({ outcome, status: 'copied' });
    }
    return changed.some(({ status }) => status === 'copied');
  };
  await updateIndex(join(folder, INDEX), change, { rotateBytes: 1, ...options });
  return changed;
}

/** An entry without what a session of ours says of itself, so that what it no longer says is gone. */
function withoutOurs(entry: JsonObject): JsonObject {
  const {
    archivedAt: _1,
    usageFamilySessionIds: _2,
    sessionFile: _3,
    lastInteractionAt: _4,
    ...rest
  } = entry;
  return rest;
}

/** An entry is replaced by a later state of the same session, not by an earlier one or another. */
function mayReplace(
  there: { readonly [name: string]: JsonValue },
  { entry, sessionIds }: WrittenSession,
): boolean {
  const isSame = sessionIds.includes(sessionIdOf(there)) || sessionIdOf(there) === '';
  return isSame && updatedAtOf(entry) >= updatedAtOf(there);
}
