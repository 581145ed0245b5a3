import { isMainAlias } from '@x/session-scope';
import type { ExportEntry, ImportReport, RefusedAlias } from './backend.js';
import { AliasConflict, InvalidMessage } from './errors.js';
import { messageInOrder, sessionInOrder } from './export-order.js';
import type { StoredMessage } from './message.js';
import { takeMessages } from './message-intake.js';
import { checkKey } from './session-key-check.js';
import type { SessionMeta } from './session-meta.js';
import type { StoreCore } from './store-core.js';

/** Runs one step on the driver; throws `StoreClosed` once the store is closing, which waits for the step. */
type Step = <T>(call: () => Promise<T>) => Promise<T>;

const sessionsAtOnce = 200;
const messagesAtOnce = 256;

/** Every session by key, deleted ones too, each followed by its messages, a page in memory at a time. */
export async function* exportSessions(core: StoreCore, step: Step): AsyncGenerator<ExportEntry> {
  const query = { order: 'key', archived: 'include', deleted: 'include', limit: sessionsAtOnce } as const;
  let place: { readonly activeAt: string; readonly key: string } | undefined;
  do {
    const from = place;
    const page = await step(() => core.guarded('export', undefined, () => core.driver.page(query, from)));
    place = page.length < sessionsAtOnce ? undefined : page.at(-1);
    for (const { key } of page) yield* exportSession(core, key, step);
  } while (place !== undefined);
}

async function* exportSession(core: StoreCore, key: string, step: Step): AsyncGenerator<ExportEntry> {
  const scan = (after: number, before: number) =>
    core.guarded('export', key, () =>
      core.driver.scan(key, { after, before, limit: messagesAtOnce, order: 'asc' }),
    );
  // The record and the first page belong together, so that most sessions come out as of one instant.
  const first = await step(() =>
    core.lanes.run([key], async () => {
      const session = await core.guarded('export', key, () => core.driver.load(key));
      return session === undefined ? undefined : { session, messages: await scan(0, session.lastSeq + 1) };
    }),
  );
  if (first === undefined) return;
  yield { type: 'session', session: sessionInOrder(first.session) };
  let messages = first.messages;
  while (messages.length > 0) {
    for (const message of messages) yield { type: 'message', key, message: messageInOrder(message) };
    const last = messages.at(-1);
    if (last === undefined || messages.length < messagesAtOnce) return;
    messages = await step(() => core.lanes.run([key], () => scan(last.seq, first.session.lastSeq + 1)));
  }
}

/** One session on its way in: its record is written as far as its messages are, and as it was at the end. */
interface Arrival {
  readonly session: SessionMeta;
  readonly lastSeqBefore: number;
  /** Messages that were there before, those in a bin too. */
  readonly countBefore: number;
  readonly batch: StoredMessage[];
  written: number;
  /** Of those before, how many came again. */
  seen: number;
}

export async function importSessions(
  core: StoreCore,
  entries: AsyncIterable<ExportEntry> | Iterable<ExportEntry>,
  step: Step,
): Promise<ImportReport> {
  const report = {
    sessions: 0,
    messages: 0,
    skippedMessages: 0,
    refused: [] as (RefusedAlias & { key: string })[],
  };
  let arrival: Arrival | undefined;
  for await (const entry of entries) {
    if (entry.type === 'session') {
      const [before, { session }] = [arrival, entry];
      if (before !== undefined) await step(() => settle(core, before, report));
      arrival = await step(() => welcome(core, session));
    } else {
      if (arrival === undefined || entry.key !== arrival.session.key) {
        throw new InvalidMessage(`import: a message of session "${entry.key}" comes before its session.`, {
          key: entry.key,
        });
      }
      const current = arrival;
      current.batch.push(entry.message);
      if (current.batch.length >= messagesAtOnce) await step(() => store(core, current, report));
    }
  }
  const last = arrival;
  if (last !== undefined) await step(() => settle(core, last, report));
  return report;
}

async function welcome(core: StoreCore, session: SessionMeta): Promise<Arrival> {
  checkKey(session.key);
  const before = await core.guarded('import', session.key, () => core.driver.load(session.key));
  if (before !== undefined && before.lastSeq > session.lastSeq) throw differs(session.key);
  const countBefore = (before?.messageCount ?? 0) + (before?.bin?.count ?? 0);
  return { session, lastSeqBefore: before?.lastSeq ?? 0, countBefore, batch: [], written: 0, seen: 0 };
}

async function store(
  core: StoreCore,
  arrival: Arrival,
  report: { messages: number; skippedMessages: number },
) {
  const { session, lastSeqBefore, batch } = arrival;
  const { key } = session;
  const there = batch.filter(({ seq }) => seq <= lastSeqBefore);
  const fresh = batch.filter(({ seq }) => seq > lastSeqBefore);
  batch.length = 0;
  const [firstThere, lastThere] = [there[0], there.at(-1)];
  if (firstThere !== undefined && lastThere !== undefined) {
    const range = {
      after: firstThere.seq - 1,
      before: lastThere.seq + 1,
      limit: messagesAtOnce,
      order: 'asc',
    } as const;
    const stored = await core.guarded('import', key, () => core.driver.scan(key, range));
    const same =
      stored.length === there.length &&
      stored.every(({ id, seq }, index) => id === there[index]?.id && seq === there[index]?.seq);
    if (!same) throw differs(key);
  }
  arrival.seen += there.length;
  if (fresh.length > 0 && arrival.seen !== arrival.countBefore) throw differs(key);
  arrival.written += there.length + fresh.length;
  report.skippedMessages += there.length;
  report.messages += fresh.length;
  const last = fresh.at(-1);
  if (last === undefined) return;
  const checked = takeMessages(key, fresh, core.driver.capabilities.maxMessageBytes).map(
    (message, index) => ({
      ...message,
      id: message.id ?? core.newId(),
      seq: fresh[index]?.seq ?? 0,
      createdAt: message.createdAt ?? session.createdAt,
    }),
  );
  const { deletedAt: _notYet, bin: _nor, ...rest } = session;
  const meta = {
    ...rest,
    lastSeq: last.seq,
    cutoff: 0,
    messageCount: arrival.written,
    activeCount: arrival.written,
    aliases: [],
  };
  await core.lanes.run([key], () =>
    core.transact('import', { keys: [key] }, {}, () => [{ key, append: checked, meta }]),
  );
}

async function settle(
  core: StoreCore,
  arrival: Arrival,
  report: {
    sessions: number;
    messages: number;
    skippedMessages: number;
    readonly refused: (RefusedAlias & { key: string })[];
  },
) {
  if (arrival.batch.length > 0) await store(core, arrival, report);
  const { session } = arrival;
  const { key, aliases } = session;
  if (arrival.seen !== arrival.countBefore) throw differs(key);
  const names = aliases.filter((alias) => !isMainAlias(alias));
  const lanes = [key, ...names];
  await core.lanes.run(lanes, () =>
    core.transact('import', { keys: [key], aliases: names }, {}, (found) => {
      const taken = names.filter((alias) => (found.owners.get(alias) ?? key) !== key);
      for (const alias of taken)
        report.refused.push({ key, alias, owner: found.owners.get(alias), reason: 'taken' });
      return [{ key, meta: session, claim: names.filter((alias) => !found.owners.has(alias)) }];
    }),
  );
  report.sessions += 1;
}

function differs(key: string): AliasConflict {
  return new AliasConflict(
    `import: session "${key}" is there already and differs. Import into an empty store, or remove it first.`,
    { key },
  );
}
