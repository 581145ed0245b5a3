import type { Turn, TurnInput } from '@x/agent-runtime';
import type { InboundContext } from '@x/session-scope';
import type { MemoryStore } from '@x/session-sqlite';
import { type JsonValue, messageOrigin, type SessionMeta } from '@x/session-store';
import { parseCommand } from './chat-commands/chat-command.js';
import { answerCommand } from './chat-commands/command-answer.js';
import type { CommandHouse } from './chat-commands/command-call.js';
import { type FreshnessHouse, freshen } from './session-freshness.js';
import { modelAsked } from './session-model.js';
import { type PlaceHouse, placeMessage, type SessionPlace } from './session-place.js';
import { rememberingFor } from './tools/memory-tools.js';

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
  /** Kept with the message. Where its `origin` is no person, it is no command and resets nothing. */
  readonly meta?: { readonly [name: string]: JsonValue } | undefined;
}

export type ReceivingHouse = PlaceHouse & CommandHouse & FreshnessHouse & { readonly memories: MemoryStore };

/**
 * The way of every message: place it (what its thread is bound to, route → allocate, or the session it names), answer
 * it where it is a command, else begin the conversation anew where that is due, and run a turn there. What the turn
 * says reaches the surface through the turn's own events.
 */
export async function receive(house: ReceivingHouse, message: InboundMessage): Promise<Turn> {
  const place = await placeMessage(house, message);
  const isPersons = messageOrigin({ role: 'user', content: '', ...withMeta(message) }) === 'person';
  const written = isPersons && (message.media ?? []).length === 0 ? parseCommand(message.text) : undefined;
  if (written === undefined) return speak(house, message, place, isPersons);
  const agentCommands = house.agents.commandsOf(
    modelOf(await house.backend.meta(place.session.sessionKey), house, place),
  );
  if (agentCommands.includes(written.name)) return speak(house, message, place, isPersons);
  const { context, text, id } = message;
  const command = { context, text, id, isNamed: message.session !== undefined, agentCommands };
  return answerCommand(house, place, written, command, (words) =>
    speak(house, { ...message, text: words }, place, isPersons),
  );
}

/** Judged and handed on as one step, so that nothing comes in between. */
function speak(
  house: ReceivingHouse,
  message: InboundMessage,
  place: SessionPlace,
  isPersons: boolean,
): Promise<Turn> {
  const { sessionKey } = place.session;
  return house.gate.run(sessionKey, async () => {
    const meta = await house.backend.meta(sessionKey);
    if (isPersons) await freshen(house, place.session, meta, message.id);
    return house.runtime.submit({
      session: place.session,
      // What a person says meanwhile joins the turn; what a schedule says waits for its end.
      whenBusy: isPersons ? 'join' : 'wait',
      ...(place.title === undefined ? {} : { title: place.title }),
      input: {
        text: message.text,
        ...(message.media === undefined ? {} : { media: message.media }),
        ...(message.id === undefined ? {} : { id: message.id }),
        ...withMeta(message),
      },
      agent: rememberingFor(house, house.agents.get(place.agentId, modelAsked(meta)), message.context, {
        sessionKey,
        scope: place.session.scope ?? meta?.scope,
      }),
    });
  });
}

function modelOf(
  meta: SessionMeta | undefined,
  { agents }: ReceivingHouse,
  { agentId }: SessionPlace,
): string {
  return agents.get(agentId, modelAsked(meta)).modelName;
}

function withMeta({ meta }: InboundMessage): Pick<TurnInput, 'meta'> {
  return meta === undefined ? {} : { meta };
}
