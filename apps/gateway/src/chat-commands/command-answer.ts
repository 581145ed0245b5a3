import type { Turn } from '@x/agent-runtime';
import { describeInbound, type InboundContext, normaliseText } from '@x/session-scope';
import type { SessionBackend, SessionMeta, StoredMessage } from '@x/session-store';
import { RequestError } from '../request-error.js';
import type { SessionPlace } from '../session-place.js';
import { answeredTurn } from './answered-turn.js';
import type { WrittenCommand } from './chat-command.js';
import type { ChatCommand, CommandCall, CommandHouse, CommandOutcome } from './command-call.js';
import { commandNamed } from './command-list.js';
import { mayChange } from './command-permission.js';
import { noticeMessage, noticeText } from './notice.js';

export interface CommandMessage {
  readonly context: InboundContext;
  readonly text: string;
  /** Makes a retry safe: the command is carried out once. */
  readonly id: string | undefined;
  readonly isNamed: boolean;
  readonly agentCommands: readonly string[];
}

/** How far back the answer to a repeated command is looked for. */
const REMEMBERED = 50;

/**
 * Carries a command out and stores it with its answer, as a notice that no model is shown. Resolves to the answer as a
 * turn; where words for the agent came with the command, to the turn that `speak` begins with them.
 */
export async function answerCommand(
  house: CommandHouse,
  place: SessionPlace,
  written: WrittenCommand,
  message: CommandMessage,
  speak: (text: string) => Promise<Turn>,
): Promise<Turn> {
  const { sessionKey } = place.session;
  const command = commandNamed(written.name);
  async function carryOut(): Promise<StoredMessage> {
    const session = await openedSession(house, place);
    const noticeId = idOf(message.id ?? crypto.randomUUID(), written, command);
    const known = await answeredBefore(house, session.key, noticeId);
    const call: CommandCall = {
      house,
      session,
      agentId: place.agentId,
      context: message.context,
      policy: house.router.route(message.context).policy,
      isNamed: message.isNamed,
      rest: written.rest,
      agentCommands: message.agentCommands,
    };
    if (known !== undefined) {
      // Where the process died between the answer and what it tells of, that is done now.
      const isOpen = known.meta?.closesSegment === true && session.cutoff < known.seq;
      if (isOpen) await (await outcomeOf(command, written, call)).finish?.();
      return known;
    }
    const { answer, finish, firstWords } = await outcomeOf(command, written, call);
    const told = { command: message.text, answer, firstWords, closesSegment: finish !== undefined };
    const notice = await keep(house, session.key, noticeMessage(noticeId, told));
    await finish?.();
    house.feed.messageStored(session.key, notice);
    house.feed.sessionChanged(session.key);
    return notice;
  }
  const notice =
    command?.closesSegment === true ? await house.gate.run(sessionKey, carryOut) : await carryOut();
  const firstWords = notice.meta?.firstWords;
  return typeof firstWords === 'string' ? speak(firstWords) : answeredTurn(sessionKey, notice);
}

/** That of the message; what is said with the command to the agent bears that one itself. */
function idOf(id: string, { rest }: WrittenCommand, command: ChatCommand | undefined): string {
  return command?.closesSegment === true && rest !== '' ? `${id}:command` : id;
}

async function outcomeOf(
  command: ChatCommand | undefined,
  { name, rest }: WrittenCommand,
  call: CommandCall,
): Promise<CommandOutcome> {
  if (command === undefined) {
    return {
      answer: `There is no command /${name}. /help lists those that there are; to say it to the agent, put a blank in front.`,
    };
  }
  if (
    command.changes(rest) &&
    !mayChange(call.session, speakerOf(call), call.house.configuration.chatCommands)
  ) {
    return {
      answer: `This conversation is shared with others: /${name} is for those whom chat_commands.admins names.`,
    };
  }
  return command.run(call);
}

function speakerOf({ context, policy }: CommandCall) {
  const { channel, sender } = describeInbound(context, policy);
  const chatType = normaliseText(context.chatType);
  return {
    channel,
    senderId: context.senderId,
    name: sender,
    isInGroup: chatType !== '' && chatType !== 'direct',
  };
}

/** The session of a place, made where it is new, with the history that lies under an older name of it. */
async function openedSession(
  { backend }: CommandHouse,
  { session, title }: SessionPlace,
): Promise<SessionMeta> {
  const { sessionKey, scope, sessionAliases = [] } = session;
  const { meta } = await backend.ensure(sessionKey, {
    ...(scope !== undefined && { scope }),
    ...(title !== undefined && { title }),
  });
  if (meta.lastSeq > 0 || sessionAliases.length === 0) return meta;
  await backend.promote(sessionKey, sessionAliases);
  // A name that another session has is refused, and the turn that follows says so.
  return (await backend.ensure(sessionKey, { aliases: sessionAliases })).meta;
}

async function answeredBefore(
  { backend }: CommandHouse,
  key: string,
  id: string,
): Promise<StoredMessage | undefined> {
  const newest = await backend.read(key, { segment: 'all', limit: REMEMBERED, order: 'desc' });
  return newest.find((message) => message.id === id && noticeText(message) !== undefined);
}

/** Stores the notice. A segment that has not begun does not begin with it. */
async function keep(
  { backend, clock }: CommandHouse,
  key: string,
  notice: ReturnType<typeof noticeMessage>,
): Promise<StoredMessage> {
  const createdAt = clock().toISOString();
  const [place] = await backend.append(key, [{ ...notice, createdAt }]);
  if (place === undefined) throw new Error('The store answered for no message.');
  const { seq, appended } = place;
  if (!appended) return keptBefore(backend, key, place);
  const meta = await backend.meta(key);
  // What comes in meanwhile lies behind it and stays.
  if (meta?.activeCount === 1 && meta.lastSeq === seq) await backend.truncate(key, { throughSeq: seq });
  return { ...notice, createdAt, seq };
}

/** Of two that came together the first was stored. Another message under the same id would silently swallow this one. */
async function keptBefore(
  backend: SessionBackend,
  key: string,
  { id, seq }: Pick<StoredMessage, 'id' | 'seq'>,
): Promise<StoredMessage> {
  const [stored] = await backend.read(key, { segment: 'all', after: seq - 1, limit: 1 });
  if (stored !== undefined && noticeText(stored) !== undefined) return stored;
  throw new RequestError(
    400,
    'invalid_request',
    `The id ${id} is that of another message of this session; give this one its own.`,
  );
}
