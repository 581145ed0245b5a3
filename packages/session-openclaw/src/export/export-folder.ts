import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ExportEntry, JsonValue, SessionMeta, StoredMessage } from '@x/session-store';
import { INDEX } from '../folder-listing.js';
import { type IndexUpdateOptions, updateIndex } from '../index-file.js';
import { lockIndex } from '../index-lock.js';
import { isObject } from '../json-object.js';
import { sessionIdOf, updatedAtOf } from '../session-index.js';
import { type WrittenFile, type WrittenSession, writeSession } from './session-writer.js';

/** What became of one session. */
export interface WrittenOutcome {
  readonly key: string;
  readonly messages: number;
  /**
   * `copied`: it is there now. `present`: it was there, byte for byte. `failed`: the error says why; nothing of it was
   * written over. `left`: it is deleted, and OpenClaw has no bin.
   */
  readonly status: 'copied' | 'present' | 'failed' | 'left';
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
      const isNew = await writeFiles(folder, session.files, options);
      const outcome =
        outcomes.push({ key, messages: visible.length, status: isNew ? 'copied' : 'present' }) - 1;
      done.set(folder, [...(done.get(folder) ?? []), { session, outcome }]);
    } catch (error) {
      if (!(error instanceof TranscriptDiffers)) throw error;
      outcomes.push({ key, messages: visible.length, status: 'failed', error: error.message });
    }
  }
  for (const [folder, sessions] of done) {
    const changed = await writeEntries(folder, sessions, options);
    for (const { outcome, error } of changed) {
      const before = outcomes[outcome];
      if (before !== undefined)
        outcomes[outcome] =
          error === undefined ? { ...before, status: 'copied' } : { ...before, status: 'failed', error };
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

/** True where something was written. All of a session's files are compared before the first is touched. */
async function writeFiles(
  folder: string,
  files: readonly WrittenFile[],
  options: IndexUpdateOptions,
): Promise<boolean> {
  const plans = [];
  for (const file of files) {
    const there = await bytesAt(join(folder, file.name));
    const former = file.formerName === undefined ? undefined : await bytesAt(join(folder, file.formerName));
    for (const [name, bytes] of [
      [file.name, there],
      [file.formerName ?? '', former],
    ] as const) {
      if (bytes !== undefined && !beginsWith(file.bytes, bytes))
        throw new TranscriptDiffers(`${join(folder, name)} is there already and holds something else.`);
    }
    if (there === undefined || there.length < file.bytes.length || former !== undefined)
      plans.push({ file, there });
  }
  if (plans.length > 0) await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const { file, there } of plans) {
    const path = join(folder, file.name);
    const former = file.formerName === undefined ? undefined : join(folder, file.formerName);
    await writeFile(path, former, file.bytes, there, options);
  }
  return plans.length > 0;
}

function beginsWith(bytes: Buffer, beginning: Buffer): boolean {
  return beginning.length <= bytes.length && bytes.subarray(0, beginning.length).equals(beginning);
}

async function bytesAt(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeFile(
  path: string,
  former: string | undefined,
  bytes: Buffer,
  there: Buffer | undefined,
  options: IndexUpdateOptions,
): Promise<void> {
  const isMoving = former !== undefined && (await bytesAt(former)) !== undefined;
  const busy = isMoving ? former : path;
  const lock = there === undefined && !isMoving ? undefined : await lockIndex(busy, options);
  try {
    // Another program may have gone on with it since it was compared.
    const now = lock === undefined ? undefined : await bytesAt(busy);
    if (now !== undefined && !beginsWith(bytes, now))
      throw new TranscriptDiffers(`${busy} was written to by another program at the same moment.`);
    await writeWhole(path, bytes, there === undefined);
    if (isMoving) await unlink(former);
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
        const error = `The index has another session under ${session.key}, which has gone on.`;
        changed.push({ outcome, error });
        continue;
      }
      entries.set(session.key, isObject(there) ? { ...there, ...session.entry } : session.entry);
      changed.push({ outcome });
    }
    return changed.some(({ error }) => error === undefined);
  };
  await updateIndex(join(folder, INDEX), change, { rotateBytes: 1, ...options });
  return changed;
}

/** An entry is replaced by a later state of the same session, not by an earlier one or another. */
function mayReplace(
  there: { readonly [name: string]: JsonValue },
  { entry, sessionIds }: WrittenSession,
): boolean {
  const isSame = sessionIds.includes(sessionIdOf(there)) || sessionIdOf(there) === '';
  return isSame && updatedAtOf(entry) >= updatedAtOf(there);
}
