import { appendChange, numberMessage } from './appends.js';
import type { Appended, WriteGuard } from './backend.js';
import { isSameJson } from './json-copy.js';
import type { Message, StoredMessage } from './message.js';
import { afterAppend, afterDropTail, touched } from './session-fold.js';
import type { StoreCore } from './store-core.js';

/**
 * Makes the active segment these messages. What is unchanged at its beginning stays as it is, with its seqs;
 * everything behind is removed and the rest stored anew, in one step.
 */
export function replaceActive(
  core: StoreCore,
  key: string,
  messages: readonly Message[],
  guard: WriteGuard,
): Promise<readonly Appended[]> {
  const messageIds = [...new Set(messages.flatMap(({ id }) => (id === undefined ? [] : [id])))];
  return core.transactAfterReading('replace', { keys: [key], messageIds }, guard, async (meta) => {
    const range = {
      after: meta.cutoff,
      before: meta.lastSeq + 1,
      limit: Number.MAX_SAFE_INTEGER,
      order: 'asc',
    } as const;
    const active = await core.guarded('replace', key, () => core.driver.scan(key, range));
    const keep = unchangedAtStart(active, messages);
    const kept = active.slice(0, keep);
    const dropped = active.slice(keep);
    const lastKept = kept.at(-1)?.seq ?? meta.cutoff;
    return (found, at) => {
      const used = new Set(kept.map(({ id }) => id));
      const stored: StoredMessage[] = [];
      for (const message of messages.slice(keep)) {
        const seqElsewhere = message.id === undefined ? undefined : found.seqs.get(message.id);
        // An id that an earlier segment holds, or that came twice, would make two messages of one id.
        const free =
          message.id !== undefined && !used.has(message.id) && (seqElsewhere ?? lastKept + 1) > lastKept;
        const { id: _taken, ...anonymous } = message;
        const numbered = numberMessage(
          core,
          free ? message : anonymous,
          meta.lastSeq + stored.length + 1,
          at,
        );
        used.add(numbered.id);
        stored.push(numbered);
      }
      const outcome = [
        ...kept.map(({ id, seq }) => ({ id, seq, appended: false })),
        ...stored.map(({ id, seq }) => ({ id, seq, appended: true })),
      ];
      if (dropped.length === 0 && stored.length === 0) return { changes: [], outcome };
      if (dropped.length === 0) return { changes: [appendChange(meta, stored, at)], outcome };
      const shortened = afterDropTail(meta, dropped);
      const after = stored.length === 0 ? touched(shortened, at) : afterAppend(shortened, stored, at);
      return { changes: [{ key, dropAfter: lastKept, append: stored, meta: after }], outcome };
    };
  });
}

function unchangedAtStart(active: readonly StoredMessage[], messages: readonly Message[]): number {
  let count = 0;
  for (const stored of active) {
    const given = messages[count];
    if (given === undefined || !isUnchanged(stored, given)) break;
    count += 1;
  }
  return count;
}

/** True where every field given is the stored one, and none but the store's own additions is missing. */
function isUnchanged(stored: StoredMessage, given: Message): boolean {
  const added = new Set(['id', 'seq', 'createdAt']);
  const names = new Set([...Object.keys(stored), ...Object.keys(given)]);
  const fieldOf = (message: Message, name: string) =>
    (message as unknown as { [name: string]: unknown })[name];
  return [...names].every(
    (name) =>
      (added.has(name) && !(name in given)) || isSameJson(fieldOf(stored, name), fieldOf(given, name)),
  );
}
