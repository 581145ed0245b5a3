import {
  isThought,
  type Message,
  messageOrigin,
  messageText,
  type SessionBackend,
  type SessionMeta,
} from '@x/session-store';

/** A closed segment of a session: its messages are those with `after < seq <= through`. */
export interface EarlierConversation {
  readonly after: number;
  readonly through: number;
  readonly endedAt: string;
  readonly summary: string;
}

/** Newest first. Those of which nothing is stored any more are left out. */
export function earlierConversations({ segments, bin }: SessionMeta): readonly EarlierConversation[] {
  let after = bin?.throughSeq ?? 0;
  return segments
    .map(({ lastSeq, endedAt, summary = '' }) => {
      const conversation = { after, through: lastSeq, endedAt, summary };
      after = lastSeq;
      return conversation;
    })
    .filter((conversation) => conversation.through > conversation.after)
    .reverse();
}

/** The first words of a person in it; undefined where nobody has spoken, or nothing of it is left. */
export async function firstWords(
  backend: SessionBackend,
  key: string,
  { after, through }: EarlierConversation,
): Promise<string | undefined> {
  const messages = await backend.read(key, { segment: 'all', after, before: through + 1, limit: 10 });
  const spoken = messages.find((message) => messageOrigin(message) === 'person');
  return spoken && messageText(spoken);
}

/** More than this of an old conversation is not brought back: its summary says what was before. */
const MOST_MESSAGES = 200;

/**
 * What brings a conversation back when it is appended: its newest messages under ids of their own, each telling where
 * it was taken from. What it was stays where it is.
 */
export async function copiesOf(
  backend: SessionBackend,
  key: string,
  { after, through }: EarlierConversation,
): Promise<readonly Message[]> {
  const newest = await backend.read(key, {
    segment: 'all',
    after,
    before: through + 1,
    limit: MOST_MESSAGES,
    order: 'desc',
  });
  return newest
    .toReversed()
    .filter((message) => !isThought(message))
    .map(({ id: _own, seq, ...message }) => ({ ...message, meta: { ...message.meta, copiedFrom: seq } }));
}
