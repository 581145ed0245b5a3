import type { JobTarget } from '@x/scheduler';
import type { JsonValue, SessionBackend } from '@x/session-store';
import { betweenTurns, openTarget, placeTarget, type TargetHouse } from './job-target.js';

export interface OutboundMessage {
  readonly target: JobTarget;
  readonly content: string;
  /** The same message under the same id is said once. */
  readonly id: string;
  readonly meta: { readonly [name: string]: JsonValue };
}

/**
 * Says something to a chat by itself: as an assistant's message in its session, between two turns, where everybody who
 * watches sees it.
 */
export async function deliver(
  house: TargetHouse & { readonly backend: SessionBackend },
  { target, content, id, meta }: OutboundMessage,
): Promise<void> {
  const { place } = await placeTarget(house, target);
  const { sessionKey } = place.session;
  await betweenTurns(house, sessionKey, async () => {
    await openTarget(house, place);
    await house.backend.append(sessionKey, [{ id, role: 'assistant', content, meta }]);
  });
  house.feed.sessionChanged(sessionKey);
}
