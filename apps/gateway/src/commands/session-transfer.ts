import { createHash, type Hash } from 'node:crypto';
import type { ExportEntry, SessionBackend, SessionMeta } from '@x/session-store';
import { writeEntry } from './export-line.js';
import { allSessions } from './session-reading.js';

/** What became of one session. */
export interface TransferredSession {
  readonly key: string;
  readonly messages: number;
  /**
   * - `copied`: it is there now · `present`: it was there, equal.
   * - `newer`: it is there and has gone on since; left alone.
   * - `failed`: the error says why; nothing was written over · `differs`: it was copied and does not read the same.
   * - `left`: the target has no place for it, as the error says.
   */
  readonly status: 'copied' | 'present' | 'newer' | 'failed' | 'differs' | 'left';
  /** SHA-256 of the session and its messages as an export writes them; null where it was not copied. */
  readonly digest: string | null;
  readonly error?: string;
}

/**
 * Copies every session with all its messages, one after the other, a page in memory at a time; then reads the other
 * store once and compares. Can be repeated: what is there is passed over.
 */
export async function transferSessions(
  from: SessionBackend,
  to: SessionBackend,
  hasGoneOn: GoneOn = (there, source) => there.revision > source.revision,
  find: SessionFinder = byKey,
): Promise<readonly TransferredSession[]> {
  const transferred = await eachSession(from, to, find, async (session, there, stream) =>
    there !== undefined && hasGoneOn(there, session)
      ? passedOver(session, stream, 'newer')
      : transferOne(to, session, there, stream),
  );
  return verified(to, transferred);
}

/** Whether the session that is there has gone on since it was copied. */
export type GoneOn = (there: SessionMeta, source: SessionMeta) => boolean;

/** The session of the target that is the one of this key. */
export type SessionFinder = (target: SessionBackend, key: string) => Promise<SessionMeta | undefined>;

const byKey: SessionFinder = (target, key) => target.meta(key);

/** What `transferSessions` would do, as far as can be told without writing: what is there is not compared. */
export async function tryTransfer(
  from: SessionBackend,
  to: SessionBackend | undefined,
  hasGoneOn: GoneOn,
  find: SessionFinder = byKey,
): Promise<readonly TransferredSession[]> {
  return eachSession(from, to, find, async (session, there, stream) => {
    if (there !== undefined)
      return passedOver(session, stream, hasGoneOn(there, session) ? 'newer' : 'present');
    for await (const _ of stream.entries) {
      // Only counted.
    }
    return { key: session.key, messages: stream.messages, status: 'copied', digest: stream.digest() };
  });
}

async function passedOver(
  { key }: SessionMeta,
  stream: SessionStream,
  status: 'newer' | 'present',
): Promise<TransferredSession> {
  await stream.rest();
  return { key, messages: stream.messages, status, digest: null };
}

async function eachSession(
  from: SessionBackend,
  to: SessionBackend | undefined,
  find: SessionFinder,
  task: (
    session: SessionMeta,
    there: SessionMeta | undefined,
    stream: SessionStream,
  ) => Promise<TransferredSession>,
): Promise<readonly TransferredSession[]> {
  const hidden = to === undefined ? [] : await allSessions(to, { deleted: true, all: true });
  const deleted = new Map(hidden.map((meta) => [meta.key, meta]));
  const done: TransferredSession[] = [];
  const source = from.export()[Symbol.asyncIterator]();
  let next = await source.next();
  while (next.done !== true) {
    if (next.value.type !== 'session') throw new Error('An export begins with a session.');
    const { session } = next.value;
    const stream = sessionStream(next.value, source);
    const there = (to && (await find(to, session.key))) ?? deleted.get(session.key);
    done.push(await task(session, there, stream));
    next = await stream.rest();
  }
  return done;
}

async function transferOne(
  to: SessionBackend,
  session: SessionMeta,
  there: SessionMeta | undefined,
  stream: SessionStream,
): Promise<TransferredSession> {
  const { key } = session;
  try {
    const report = await to.import(stream.entries);
    const status = there !== undefined && report.messages === 0 ? 'present' : 'copied';
    return { key, messages: stream.messages, status, digest: stream.digest() };
  } catch (error) {
    await stream.rest();
    // Half of a session that was not there is worse than none.
    if (there === undefined) await takeBack(to, key).catch(() => {});
    const why = error instanceof Error ? error.message : String(error);
    return { key, messages: stream.messages, status: 'failed', digest: null, error: why };
  }
}

async function takeBack(to: SessionBackend, key: string): Promise<void> {
  if ((await to.meta(key)) === undefined) return;
  await to.delete(key);
  await to.purge(key);
}

/** One session out of the stream of all, with what is needed to know it again. */
interface SessionStream {
  readonly entries: AsyncIterable<ExportEntry>;
  readonly messages: number;
  digest(): string;
  /** Passes over what is left of it. Resolves to what comes behind it. */
  rest(): Promise<IteratorResult<ExportEntry, unknown>>;
}

function sessionStream(first: ExportEntry, source: AsyncIterator<ExportEntry>): SessionStream {
  const hash = createHash('sha256');
  let messages = 0;
  let behind: IteratorResult<ExportEntry, unknown> | undefined;
  async function* entries(): AsyncGenerator<ExportEntry> {
    hash.update(writeEntry(first));
    yield first;
    for (let entry = await step(); entry !== undefined; entry = await step()) yield entry;
  }
  async function step(): Promise<ExportEntry | undefined> {
    if (behind !== undefined) return undefined;
    const result = await source.next();
    if (result.done === true || result.value.type === 'session') {
      behind = result;
      return undefined;
    }
    messages += 1;
    hash.update(writeEntry(result.value));
    return result.value;
  }
  return {
    entries: { [Symbol.asyncIterator]: entries },
    get messages() {
      return messages;
    },
    digest: () => hash.copy().digest('hex'),
    async rest() {
      while ((await step()) !== undefined) {
        // Only passed over.
      }
      return behind ?? { done: true, value: undefined };
    },
  };
}

/** Reads the store that was written to, and says of each session whether it reads as it was written. */
async function verified(
  to: SessionBackend,
  transferred: readonly TransferredSession[],
): Promise<readonly TransferredSession[]> {
  const wanted = new Map(transferred.map(({ key, digest }) => [key, digest]));
  const found = new Map<string, string>();
  let current: { readonly key: string; readonly hash: Hash } | undefined;
  const finish = () => {
    if (current !== undefined) found.set(current.key, current.hash.digest('hex'));
  };
  for await (const entry of to.export()) {
    if (entry.type === 'session') {
      finish();
      const { key } = entry.session;
      current = typeof wanted.get(key) === 'string' ? { key, hash: createHash('sha256') } : undefined;
    }
    current?.hash.update(writeEntry(entry));
  }
  finish();
  return transferred.map((session) =>
    session.digest === null || found.get(session.key) === session.digest
      ? session
      : { ...session, status: 'differs', error: 'It does not read as it was written.' },
  );
}
