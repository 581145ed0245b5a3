import type { AgentRuntime, Turn } from '@x/agent-runtime';
import type { InboundContext } from '@x/session-scope';
import { type PlaceHouse, placeMessage } from './session-place.js';

/** A message on its way in, whatever surface it came from. */
export interface InboundMessage {
  readonly context: InboundContext;
  readonly text: string;
  readonly media?: readonly string[] | undefined;
  /** Makes a retry safe: the same id in the same session is answered once. */
  readonly id?: string | undefined;
  /** A key, an alias or a name given by hand; without it the context alone decides. */
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
}

export interface ReceivingHouse extends PlaceHouse {
  readonly runtime: AgentRuntime;
}

/**
 * The way of every message: place it (route → allocate, or the session it names), and run a turn there. What the
 * turn says reaches the surface through the turn's own events.
 */
export async function receive(house: ReceivingHouse, message: InboundMessage): Promise<Turn> {
  const place = await placeMessage(house, message);
  return house.runtime.submit({
    session: place.session,
    ...(place.title === undefined ? {} : { title: place.title }),
    input: {
      text: message.text,
      ...(message.media === undefined ? {} : { media: message.media }),
      ...(message.id === undefined ? {} : { id: message.id }),
    },
    agent: house.agents.get(place.agentId),
  });
}
