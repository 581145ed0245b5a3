import { allocate, type SessionScope, sessionKey } from '@x/session-scope';
import type { JsonValue, SessionMeta } from '@x/session-store';
import { MAX_NAME_LENGTH, routedPlace } from '../session-place.js';
import { endTurns } from '../session-turns.js';
import { placeId, placesOf } from '../thread-bindings/bound-place.js';
import type { ChatCommand, CommandCall, CommandOutcome } from './command-call.js';
import { copiesOf, earlierConversations, firstWords } from './earlier-conversations.js';

const MOST_LISTED = 10;
const MOST_NAMES = 50;

export const SESSIONS: ChatCommand = {
  name: 'sessions',
  usage: '/sessions',
  summary: 'lists the conversations that were had here',
  changes: () => false,
  async run(call) {
    const { house, session } = call;
    const earlier = earlierConversations(session).slice(0, MOST_LISTED);
    const lines = await Promise.all(
      earlier.map(async (conversation, index) => {
        const words = (await firstWords(house.backend, session.key, conversation)) ?? conversation.summary;
        return `${index + 1}. until ${dayOf(conversation.endedAt)}: ${excerpt(words)}`;
      }),
    );
    const names = call.isNamed ? [] : namesOf(await homeOf(call));
    return {
      answer: [
        `You are in ${session.title === undefined ? 'a conversation without a name' : `“${session.title}”`}.`,
        ...(lines.length === 0 ? [] : ['Earlier ones (/switch NUMBER goes on with one):', ...lines]),
        ...(names.length === 0
          ? []
          : [`By name (/switch NAME, /switch back): ${names.map((name) => `“${name}”`).join(', ')}`]),
        ...(lines.length + names.length === 0 ? ['There are no others yet. /new begins one.'] : []),
      ].join('\n'),
    };
  },
};

export const SWITCH: ChatCommand = {
  name: 'switch',
  usage: '/switch NUMBER | NAME | back',
  summary: 'goes on with an earlier conversation, with one by name (new or old), or back to the usual one',
  changes: () => true,
  closesSegment: true,
  async run(call) {
    if (call.rest === '')
      return { answer: 'Which one? /sessions lists them: /switch NUMBER, /switch NAME, /switch back.' };
    if (/^\d{1,4}$/.test(call.rest)) return goOnWith(call, Number(call.rest));
    if (call.isNamed)
      return { answer: 'This conversation was chosen by its name where you are: choose another there.' };
    return call.rest.toLowerCase() === 'back' ? switchBack(call) : switchTo(call, call.rest);
  },
};

async function goOnWith(call: CommandCall, number: number): Promise<CommandOutcome> {
  const { house, session } = call;
  const conversation = earlierConversations(session)[number - 1];
  if (conversation === undefined)
    return { answer: `There is no earlier conversation ${number} here. /sessions lists them.` };
  const copies = await copiesOf(house.backend, session.key, conversation);
  if (copies.length === 0) return { answer: 'Nothing is left of that conversation.' };
  await endTurns(house.runtime, session.key, 'The person went on with another conversation.');
  return {
    answer: `You go on with the conversation of ${dayOf(conversation.endedAt)}: ${copies.length} messages.`,
    async finish() {
      const { summary } = conversation;
      await house.backend.reset(session.key, { reason: 'switch', ...(summary !== '' && { summary }) });
      await house.backend.append(session.key, copies);
    },
  };
}

async function switchTo(call: CommandCall, name: string): Promise<CommandOutcome> {
  const { house, context, policy, agentId } = call;
  if (name.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(name))
    return { answer: `A name has at most ${MAX_NAME_LENGTH} characters, and none that command a terminal.` };
  const home = await homeOf(call);
  const names = namesOf(home);
  const known = names.find((each) => each.toLowerCase() === name.toLowerCase());
  if (known === undefined && names.length >= MOST_NAMES)
    return { answer: `There are ${MOST_NAMES} conversations by name here already. Go on with one of them.` };
  const scope = scopeOfName(home.scope ?? allocate({ agentId, context, policy }).scope, name);
  const { meta } = await house.backend.ensure(sessionKey(scope), { scope, title: known ?? name });
  if (known === undefined)
    await house.backend.ensure(home.key, { attributes: { conversations: [...names, name] } });
  const [place] = placesOf(context, policy);
  const forever = { idleMs: undefined, maxAgeMs: undefined };
  const limits = context.topicId === undefined ? forever : house.configuration.threadBindings;
  if (place !== undefined) house.bindings.bind(place, { session: meta.key }, limits);
  const state = meta.messageCount === 0 ? 'it is new' : `last spoken in ${dayOf(meta.activeAt)}`;
  return {
    answer: `You are in “${known ?? name}” now (${state}). /switch back returns to the usual conversation.`,
  };
}

async function switchBack({ house, context, policy }: CommandCall): Promise<CommandOutcome> {
  const [place] = placesOf(context, policy);
  const isReleased = place !== undefined && house.bindings.release(placeId(place));
  return {
    answer: isReleased ? 'You are back in the usual conversation.' : 'You are in the usual conversation.',
  };
}

/** The session that the place's messages are routed to: it keeps the names of those that were begun from it. */
async function homeOf({ house, session, context, agentId }: CommandCall): Promise<SessionMeta> {
  const { session: home } = await routedPlace(house, { context, agent: agentId });
  const { sessionKey: key, scope } = home;
  if (key === session.key) return session;
  return (await house.backend.ensure(key, scope === undefined ? {} : { scope })).meta;
}

/** A conversation by name is apart from every other, and from those of the same name elsewhere. */
function scopeOfName(scope: SessionScope, name: string): SessionScope {
  return {
    ...scope,
    dimensions: [...scope.dimensions, 'conversation'],
    values: { ...scope.values, conversation: name.toLowerCase() },
  };
}

function namesOf({ attributes }: SessionMeta): readonly string[] {
  const names: JsonValue | undefined = attributes.conversations;
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

function dayOf(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}

function excerpt(text: string): string {
  const points = [...text.trim().replace(/\s+/gu, ' ')];
  return points.length <= 60 ? points.join('') : `${points.slice(0, 59).join('')}…`;
}
