import type { ExportEntry } from './backend.js';
import { StoreFailed } from './errors.js';
import { messageInOrder, sessionInOrder } from './export-order.js';
import type { SessionMeta } from './session-meta.js';
import type { Step, StoreCore } from './store-core.js';

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
  /** A record and a page of what it counts, of one instant. */
  const look = (after: number, first?: SessionMeta) =>
    step(() =>
      core.lanes.run([key], async () => {
        const session = await core.guarded('export', key, () => core.driver.load(key));
        if (session === undefined) return undefined;
        const before = (first ?? session).lastSeq + 1;
        const range = { after, before, limit: messagesAtOnce, order: 'asc' } as const;
        return { session, messages: await core.guarded('export', key, () => core.driver.scan(key, range)) };
      }),
    );
  const first = await look(0);
  if (first === undefined) return;
  yield { type: 'session', session: sessionInOrder(first.session) };
  let { messages } = first;
  for (;;) {
    for (const message of messages) yield { type: 'message', key, message: messageInOrder(message) };
    const last = messages.at(-1);
    if (last === undefined || messages.length < messagesAtOnce) return;
    const next = await look(last.seq, first.session);
    if (next === undefined || hasLost(first.session, next.session)) {
      throw new StoreFailed(
        `export: session "${key}" was rewritten while it was read, and its record is out already. Export again.`,
        { key },
      );
    }
    messages = next.messages;
  }
}

/** True where messages were removed in between: without that, as many are there as seqs were given. */
function hasLost(before: SessionMeta, after: SessionMeta): boolean {
  return storedIn(after) - storedIn(before) !== after.lastSeq - before.lastSeq;
}

/** Messages of a session, those in its bin too. */
export function storedIn({ messageCount, bin }: SessionMeta): number {
  return messageCount + (bin?.count ?? 0);
}
