import type { JsonValue } from '@x/session-store';
import type { TurnRecord } from './turn-record.js';
import type { TurnWork } from './turn-work.js';

/** Where a session says which turns were taken back, the newest last. */
const ATTRIBUTE = 'undoneTurns';
const MOST_REMEMBERED = 20;

/** Takes the session back to where the turn began, its own message included, and leaves a note that it was. */
export async function undoTurn(work: TurnWork, record: TurnRecord, reason: string): Promise<void> {
  const { backend, request, turnId, clock } = work;
  const { sessionKey } = request.session;
  const { firstSeq } = record;
  if (firstSeq === undefined) return;
  const active = await backend.read(sessionKey);
  // Instructions that a summary carried over the cut are older than the turn, whatever their place.
  const kept = active.filter(({ seq, meta }) => seq < firstSeq || meta?.carried === true);
  await backend.replace(sessionKey, kept);
  const meta = await backend.meta(sessionKey);
  const known = meta?.attributes[ATTRIBUTE];
  const earlier: readonly JsonValue[] = Array.isArray(known) ? known : [];
  const note = {
    turnId,
    at: clock().toISOString(),
    reason,
    fromSeq: firstSeq,
    messages: active.length - kept.length,
  };
  await backend.ensure(sessionKey, {
    attributes: { [ATTRIBUTE]: [...earlier, note].slice(-MOST_REMEMBERED) },
  });
  record.messages.length = 0;
  work.emit({ type: 'undone', fromSeq: firstSeq });
}
