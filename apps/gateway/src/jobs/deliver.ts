import type { JobTarget } from '@x/scheduler';
import type { JsonValue } from '@x/session-store';
import { betweenTurns, openTarget, placeTarget, type TargetHouse } from './job-target.js';
import { type SpeakingHouse, sayOutside } from './spoken-place.js';

export interface OutboundMessage {
  readonly target: JobTarget;
  readonly content: string;
  /** The same message under the same id is said once. */
  readonly id: string;
  readonly meta: { readonly [name: string]: JsonValue };
}

/**
 * Says something to a chat by itself: as an assistant's message in its session, between two turns, where everybody who
 * watches sees it, and then on the chat's own platform.
 */
export async function deliver(
  house: TargetHouse & SpeakingHouse,
  { target, content, id, meta }: OutboundMessage,
): Promise<void> {
  const { place } = await placeTarget(house, target);
  const { sessionKey } = place.session;
  await betweenTurns(house, sessionKey, async () => {
    await openTarget(house, place);
    const [said] = await house.backend.append(sessionKey, [{ id, role: 'assistant', content, meta }]);
    if (said?.appended !== true) return;
    const range = { segment: 'all', after: said.seq - 1, limit: 1 } as const;
    for (const message of await house.backend.read(sessionKey, range)) {
      house.feed.messageStored(sessionKey, message);
    }
  });
  await sayOutside(house, target, content, id);
}
