import { isMainAlias } from '@x/session-scope';
import type { ExportEntry, ImportReport, RefusedAlias } from './backend.js';
import type { Change } from './driver.js';
import { foldedAliases } from './ensure.js';
import { AliasConflict, InvalidMessage } from './errors.js';
import { takeEntry } from './export-entry.js';
import { isSameJson } from './json-copy.js';
import type { StoredMessage } from './message.js';
import { storedIn } from './session-export.js';
import type { SessionMeta } from './session-meta.js';
import type { Step, StoreCore } from './store-core.js';

const messagesAtOnce = 256;

/** One session on its way in. While its messages come, its record says no more than what is there. */
interface Arrival {
  readonly session: SessionMeta;
  /** The record that was there when it came. */
  readonly before: SessionMeta | undefined;
  /** The record that is there now. */
  record: SessionMeta | undefined;
  batch: StoredMessage[];
  /** Of the messages that came. */
  lastSeq: number;
  count: number;
  activeCount: number;
  /** How many of those before came again. */
  seen: number;
}

interface Report {
  sessions: number;
  messages: number;
  skippedMessages: number;
  readonly refused: (RefusedAlias & { readonly key: string })[];
}

/** Takes what an export gave, session by session; a short one is stored in one step. */
export async function importSessions(
  core: StoreCore,
  entries: AsyncIterable<ExportEntry> | Iterable<ExportEntry>,
  step: Step,
): Promise<ImportReport> {
  const report: Report = { sessions: 0, messages: 0, skippedMessages: 0, refused: [] };
  let arrival: Arrival | undefined;
  let index = 0;
  for await (const given of entries) {
    const entry = takeEntry(given, index, core.driver.capabilities.maxMessageBytes);
    index += 1;
    const current = arrival;
    if (entry.type === 'session') {
      if (current !== undefined) await step(() => settle(core, current, report));
      arrival = await step(() => welcome(core, entry.session));
      continue;
    }
    const { key, message } = entry;
    if (current === undefined || key !== current.session.key) {
      throw new InvalidMessage(`import: a message of session "${key}" comes before its session.`, { key });
    }
    take(current, message);
    if (current.batch.length >= messagesAtOnce) {
      await step(() => core.lanes.run([key], () => storeBatch(core, current, report)));
    }
  }
  const last = arrival;
  if (last !== undefined) await step(() => settle(core, last, report));
  return report;
}

async function welcome(core: StoreCore, session: SessionMeta): Promise<Arrival> {
  const { key } = session;
  const before = await core.guarded('import', key, () => core.driver.load(key));
  if (before !== undefined && !mayFollow(before, session)) throw differs(key);
  return { session, before, record: before, batch: [], lastSeq: 0, count: 0, activeCount: 0, seen: 0 };
}

/** True where the session that is there may be an earlier state of the one that comes, or what a broken run left. */
function mayFollow(before: SessionMeta, session: SessionMeta): boolean {
  if (before.lastSeq > session.lastSeq) return false;
  // Nothing was ever said in it.
  if (before.lastSeq === 0 && before.summary === '' && before.deletedAt === undefined) return true;
  // An earlier state; but what was deleted here is not brought back by a copy.
  if (before.revision < session.revision)
    return before.deletedAt === undefined || session.deletedAt !== undefined;
  const { aliases: _mayBeMore, ...known } = before;
  const { aliases: _own, ...coming } = session;
  return (
    isSameJson(known, coming) ||
    isSameJson(before, partial(session, before, before.lastSeq, storedIn(before)))
  );
}

function take(arrival: Arrival, message: StoredMessage): void {
  const { session } = arrival;
  if (message.seq <= arrival.lastSeq || message.seq > session.lastSeq) {
    throw new InvalidMessage(
      `import: session "${session.key}": message ${message.seq} comes behind ${arrival.lastSeq}; expected rising seqs up to ${session.lastSeq}.`,
      { key: session.key },
    );
  }
  arrival.batch.push(message);
  arrival.lastSeq = message.seq;
  arrival.count += 1;
  if (message.seq > session.cutoff) arrival.activeCount += 1;
}

/** The record of a session of which so many messages are there: none of its names, all of it active. */
function partial(
  session: SessionMeta,
  before: SessionMeta | undefined,
  lastSeq: number,
  count: number,
): SessionMeta {
  const { deletedAt: _notYet, bin: _nor, ...rest } = session;
  const aliases = before?.aliases ?? [];
  return { ...rest, lastSeq, cutoff: 0, messageCount: count, activeCount: count, aliases };
}

/** Stores what has come so far. Runs alone on the session. */
async function storeBatch(core: StoreCore, arrival: Arrival, report: Report): Promise<void> {
  const fresh = await freshOf(core, arrival, report);
  const last = fresh.at(-1);
  if (last === undefined) return;
  const meta = partial(arrival.session, arrival.before, last.seq, arrival.count);
  await write(core, arrival, fresh, [], () => ({ key: meta.key, append: fresh, meta }));
  arrival.record = meta;
  report.messages += fresh.length;
}

/** Of the messages that have come, those that are new. Throws where the others are not what is there. */
async function freshOf(core: StoreCore, arrival: Arrival, report: Report): Promise<readonly StoredMessage[]> {
  const { session, before, batch } = arrival;
  arrival.batch = [];
  const lastThere = before?.lastSeq ?? 0;
  const there = batch.filter(({ seq }) => seq <= lastThere);
  const [first, last] = [there[0], there.at(-1)];
  if (first !== undefined && last !== undefined) {
    const range = {
      after: first.seq - 1,
      before: last.seq + 1,
      limit: there.length + 1,
      order: 'asc',
    } as const;
    const stored = await core.guarded('import', session.key, () => core.driver.scan(session.key, range));
    if (!isSameJson(stored, there)) throw differs(session.key);
  }
  arrival.seen += there.length;
  report.skippedMessages += there.length;
  const fresh = batch.slice(there.length);
  if (fresh.length > 0 && arrival.seen !== countBefore(arrival)) throw differs(session.key);
  return fresh;
}

/** Stores the rest and the record as it was. */
async function settle(core: StoreCore, arrival: Arrival, report: Report): Promise<void> {
  const { session, count, activeCount } = arrival;
  const { key } = session;
  if (count !== storedIn(session) || activeCount !== session.activeCount) {
    throw new InvalidMessage(
      `import: session "${key}" tells of ${storedIn(session)} messages, ${session.activeCount} of them active; ${count} came, ${activeCount} of them active.`,
      { key },
    );
  }
  const names = foldedAliases(key, session.aliases).filter((alias) => !isMainAlias(alias));
  const refused: (RefusedAlias & { readonly key: string })[] = [];
  await core.lanes.run([key, ...names], async () => {
    const fresh = await freshOf(core, arrival, report);
    if (arrival.seen !== countBefore(arrival)) throw differs(key);
    const more = (arrival.before?.aliases ?? []).filter((alias) => !session.aliases.includes(alias));
    const meta = more.length === 0 ? session : { ...session, aliases: [...session.aliases, ...more] };
    await write(core, arrival, fresh, names, (owners) => {
      refused.length = 0;
      const claim: string[] = [];
      for (const alias of names) {
        const owner = owners.get(alias);
        if (owner === undefined) claim.push(alias);
        else if (owner !== key) refused.push({ key, alias, owner, reason: 'taken' });
      }
      if (fresh.length === 0 && claim.length === 0 && isSameJson(meta, arrival.record)) return undefined;
      return { key, ...(fresh.length === 0 ? {} : { append: fresh }), meta, claim };
    });
    report.messages += fresh.length;
  });
  report.refused.push(...refused);
  report.sessions += 1;
}

/** One step, on the session as this run knows it: what others write meanwhile is not written over. */
async function write(
  core: StoreCore,
  { session: { key }, record }: Arrival,
  fresh: readonly StoredMessage[],
  aliases: readonly string[],
  plan: (owners: ReadonlyMap<string, string>) => Change | undefined,
): Promise<void> {
  const messageIds = fresh.map(({ id }) => id);
  const isRepeated = new Set(messageIds).size < messageIds.length;
  await core.transact('import', { keys: [key], aliases, messageIds }, {}, (found) => {
    const now = found.sessions.get(key);
    if (now?.revision !== record?.revision || now?.lastSeq !== record?.lastSeq) throw differs(key);
    if (isRepeated || found.seqs.size > 0) {
      throw new InvalidMessage(`import: session "${key}" has two messages of one id.`, { key });
    }
    const change = plan(found.owners);
    return change === undefined ? [] : [change];
  });
}

function countBefore({ before }: Arrival): number {
  return before === undefined ? 0 : storedIn(before);
}

function differs(key: string): AliasConflict {
  return new AliasConflict(
    `import: session "${key}" is there already and differs. Import into an empty store, or remove it first.`,
    { key },
  );
}
