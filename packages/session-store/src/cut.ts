import type { Cut, ResetOptions, WriteGuard } from './backend.js';
import { Unsupported } from './errors.js';
import { isThought, type StoredMessage } from './message.js';
import { afterCut, afterReset } from './session-fold.js';
import type { SessionMeta } from './session-meta.js';
import type { StoreCore } from './store-core.js';

const pageSize = 256;

/** Moves the cutoff forward to where the cut says, and sets the summary in the same step. */
export function truncateActive(
  core: StoreCore,
  key: string,
  cut: Cut,
  guard: WriteGuard,
): Promise<SessionMeta> {
  const bound = 'keepLast' in cut ? cut.keepLast : cut.throughSeq;
  if (!Number.isInteger(bound) || bound < 0) {
    throw new Unsupported(`truncate: ${bound} is no count or seq; expected a whole number from 0.`, { key });
  }
  return core.editAfterReading('truncate', key, guard, async (meta) => {
    const kept =
      'keepLast' in cut
        ? await newestActive(core, meta, cut.keepLast)
        : await activeBehind(core, meta, Math.max(meta.cutoff, cut.throughSeq));
    const cutoff = (kept[0]?.seq ?? meta.lastSeq + 1) - 1;
    const summary = cut.summary ?? meta.summary;
    const unchanged = kept.length === meta.activeCount && summary === meta.summary;
    return (at) =>
      unchanged
        ? undefined
        : {
            key,
            meta: afterCut(
              meta,
              kept.length === meta.activeCount ? meta.cutoff : cutoff,
              kept.length,
              summary,
              at,
            ),
          };
  });
}

/** Closes the segment; with `keepLast`, its newest messages open the next one. */
export function resetSession(
  core: StoreCore,
  key: string,
  options: ResetOptions,
  guard: WriteGuard,
): Promise<SessionMeta> {
  const { keepLast = 0 } = options;
  if (!Number.isInteger(keepLast) || keepLast < 0) {
    throw new Unsupported(`reset: keepLast is ${keepLast}; expected a whole number from 0.`, { key });
  }
  return core.editAfterReading('reset', key, guard, async (meta) => {
    const kept = await newestActive(core, meta, keepLast);
    // A segment that never began needs no closing.
    const unused = meta.activeCount === 0 && meta.summary === '' && meta.userTurns === 0 && !options.summary;
    return (at) => (unused ? undefined : { key, meta: afterReset(meta, kept, options, at) });
  });
}

/** The newest active messages, ascending, so many that `count` of them are more than thoughts. */
async function newestActive(
  core: StoreCore,
  meta: SessionMeta,
  count: number,
): Promise<readonly StoredMessage[]> {
  const newest: StoredMessage[] = [];
  let words = 0;
  let before = meta.lastSeq + 1;
  while (words < count) {
    const range = { after: meta.cutoff, before, limit: pageSize, order: 'desc' } as const;
    const page = await core.guarded('read', meta.key, () => core.driver.scan(meta.key, range));
    for (const message of page) {
      if (words === count) break;
      newest.push(message);
      if (!isThought(message)) words += 1;
    }
    const oldest = page.at(-1);
    if (oldest === undefined || page.length < pageSize) break;
    before = oldest.seq;
  }
  return newest.reverse();
}

function activeBehind(core: StoreCore, meta: SessionMeta, seq: number): Promise<readonly StoredMessage[]> {
  const range = {
    after: seq,
    before: meta.lastSeq + 1,
    limit: Number.MAX_SAFE_INTEGER,
    order: 'asc',
  } as const;
  return core.guarded('read', meta.key, () => core.driver.scan(meta.key, range));
}
