import { describeInbound, type InboundContext, type ScopePolicy, type SessionScope } from '@x/session-scope';

/** The session of a message, as far as its scope is known. */
export interface SpokenIn {
  readonly sessionKey: string;
  readonly scope?: SessionScope | undefined;
}

/** One person speaks through the page, and one through the terminal, whatever their sessions are called. */
const OWN_SURFACES: ReadonlySet<string> = new Set(['web', 'cli']);

/**
 * Whose memories a message may reach; the first is where new ones are kept. The person's, where nobody else reads what
 * is said in the session: in a private chat, or in a session that `sender` alone makes. Everywhere else (groups, sessions
 * of others, sessions whose scope nobody knows) the memories are the session's, because what is recalled there is
 * read by all who are in it.
 * (shown by: is the person where nobody else reads, and the session everywhere else)
 */
export function memorySubjects(
  context: InboundContext,
  policy: Pick<ScopePolicy, 'identityLinks' | 'caseSensitiveChannels'>,
  { sessionKey, scope }: SpokenIn,
): readonly [string, ...string[]] {
  const { channel, account, chat, sender, isSenderLinked } = describeInbound(context, policy);
  const shared = sessionSubject(sessionKey);
  if (sender === undefined || scope === undefined) return [shared];
  if (scope.channel !== channel || scope.account !== account) return [shared];
  const isPersons =
    OWN_SURFACES.has(channel) ||
    isSenderAlone(scope, sender) ||
    (isPrivate(chat) && (scope.values.chat === chat || scope.values.sender === sender));
  if (!isPersons) return [shared];
  // Without links, so that a canonical name cannot be taken by an id that is spelt like it.
  const id = describeInbound(context, { ...policy, identityLinks: {} }).sender ?? sender;
  const own = `sender:${encodeURIComponent(channel)}:${id}`;
  // What was kept of the id before it was linked stays in reach.
  return isSenderLinked ? [`person:${sender}`, own] : [own];
}

export function sessionSubject(sessionKey: string): string {
  return `session:${sessionKey}`;
}

/** The forms of a subject, for whoever names one by hand. */
export const SUBJECT_FORM = /^(?:person:.+|sender:[^:]+:.+|session:.+)$/su;
export const SUBJECT_FORMS = 'person:NAME, sender:CHANNEL:ID or session:KEY';

function isSenderAlone({ dimensions, values }: SessionScope, sender: string): boolean {
  return dimensions.length === 1 && values.sender === sender;
}

function isPrivate(chat: string | undefined): boolean {
  return chat?.startsWith('direct:') === true;
}
