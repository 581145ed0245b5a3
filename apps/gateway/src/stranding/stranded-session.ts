import type { Router } from '@x/routing';
import {
  allocate,
  type IdentityLinks,
  type InboundContext,
  isMainAlias,
  mainSessionKey,
  normaliseText,
  parseAgentKey,
  type SessionScope,
} from '@x/session-scope';
import type { SessionMeta } from '@x/session-store';

/** How a configuration leads messages. */
export interface Routing {
  readonly router: Router;
  readonly identityLinks: IdentityLinks;
}

/**
 * `stranded`: no message of its chat leads to the session any more · `taken`: its history moves into the own session of
 * whoever is the first to speak in the group.
 */
export interface Stranding {
  readonly fate: 'stranded' | 'taken';
  /** What of the configuration it comes from. */
  readonly cause: 'agent' | 'dimensions' | 'identity_links';
}

/** Names of surfaces whose sessions are reached by name, however messages are led. */
const BY_NAME: ReadonlySet<string> = new Set(['web', 'cli']);

/**
 * What a configuration would do to a session that the messages of a chat have led to so far; undefined where they
 * still do, or where its history moves along with the next of them. Pure. What a message would say is told from the
 * session's scope; of a person whom the scope does not name, that there is one.
 */
export function strandingOf(meta: SessionMeta, { router, identityLinks }: Routing): Stranding | undefined {
  const { scope } = meta;
  if (scope === undefined || BY_NAME.has(scope.channel) || 'conversation' in scope.values) return undefined;
  if (meta.key === mainSessionKey(meta.agentId)) return undefined;
  const fates = messagesOf(scope, meta.aliases, identityLinks).map((context) =>
    fateOf(meta, scope, context, router),
  );
  // One way that still leads there is enough.
  return fates.includes(undefined) ? undefined : fates[0];
}

function fateOf(
  meta: SessionMeta,
  scope: SessionScope,
  context: InboundContext,
  router: Router,
): Stranding | undefined {
  const { agentId, policy } = router.route(context);
  const next = allocate({ agentId, context, policy });
  if (next.sessionKey === meta.key) return undefined;
  const cause =
    next.scope.agentId !== scope.agentId
      ? 'agent'
      : next.scope.dimensions.join() !== scope.dimensions.join()
        ? 'dimensions'
        : 'identity_links';
  const isFound = next.sessionAliases.some(
    (alias) => !isMainAlias(alias) && (alias === meta.key || meta.aliases.includes(alias)),
  );
  if (!isFound) return { fate: 'stranded', cause };
  const becomesOnePersons =
    normaliseText(context.chatType) !== 'direct' &&
    next.scope.dimensions.includes('sender') &&
    !scope.dimensions.includes('sender');
  return becomesOnePersons ? { fate: 'taken', cause } : undefined;
}

/** A message as each of the people would send it whose session this may be. */
function messagesOf(
  scope: SessionScope,
  aliases: readonly string[],
  links: IdentityLinks,
): readonly InboundContext[] {
  const { channel, account, values } = scope;
  const [chatType = 'direct', chatAndTopic = 'unknown'] = parted(values.chat);
  const [, chatId = chatAndTopic, forumTopic] = /^(.*)\/(\d+)$/s.exec(chatAndTopic) ?? [];
  const topicId = parted(values.topic)[1] ?? forumTopic;
  const [spaceType, spaceId] = parted(values.space);
  const place: InboundContext = {
    channel,
    account,
    chatType,
    chatId,
    ...(topicId !== undefined && { topicId }),
    ...(spaceType !== undefined && { spaceType }),
    ...(spaceId !== undefined && { spaceId }),
  };
  return sendersOf(values.sender, channel, aliases, links).map((senderId) => ({ ...place, senderId }));
}

/** The ids that may stand behind a scope's sender: those of the link of that name, those it was known by, or itself. */
function sendersOf(
  sender: string | undefined,
  channel: string,
  aliases: readonly string[],
  links: IdentityLinks,
): readonly string[] {
  if (sender === undefined) return ['somebody'];
  const linked = Object.entries(links).find(([name]) => normaliseText(name) === sender)?.[1] ?? [];
  const prefix = `${channel}:`;
  const ofLink = linked
    .map(normaliseText)
    .filter((id) => !id.includes(':') || id.startsWith(prefix))
    .map((id) => (id.startsWith(prefix) ? id.slice(prefix.length) : id));
  if (ofLink.length > 0) return ofLink;
  const known = aliases
    .map(parseAgentKey)
    .flatMap((name) => (name?.chatType === 'direct' && name.peerId !== undefined ? [name.peerId] : []))
    .filter((id) => id !== sender);
  return known.length > 0 ? [...new Set(known)] : [sender];
}

/** `group:-100` as type and id. */
function parted(value: string | undefined): readonly [string, string] | readonly [] {
  const colon = value?.indexOf(':') ?? -1;
  return value === undefined || colon < 0 ? [] : [value.slice(0, colon), value.slice(colon + 1)];
}
