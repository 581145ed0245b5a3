import { createRouter, parseRoutingConfig } from '@x/routing';
import { allocate, type InboundContext } from '@x/session-scope';
import { newMeta, type SessionMeta } from '@x/session-store';
import { expect, test } from 'vitest';
import { type Routing, strandingOf } from './stranded-session.js';

function routing(config: object): Routing {
  const parsed = parseRoutingConfig(config);
  return { router: createRouter(parsed), identityLinks: parsed.policy.identityLinks };
}

/** The session that a message has led to under a configuration. */
function session(context: InboundContext, config: object = {}): SessionMeta {
  const { agentId, policy } = routing(config).router.route(context);
  const { sessionKey, scope, sessionAliases } = allocate({ agentId, context, policy });
  return { ...newMeta(sessionKey, { scope }, '2026-01-01T00:00:00.000Z'), aliases: sessionAliases };
}

const direct: InboundContext = { channel: 'telegram', chatType: 'direct', chatId: '77', senderId: '77' };
const group: InboundContext = { channel: 'telegram', chatType: 'group', chatId: '-100', senderId: '77' };
const topic: InboundContext = { ...group, topicId: '5' };
const dimensions = (...names: string[]) => ({ session: { dimensions: names } });
const linked = { session: { dimensions: ['sender'], identity_links: { ann: ['telegram:77'] } } };
const rule = (when: object) => ({
  agents: { list: [{ id: 'main' }, { id: 'support' }], dispatch: { rules: [{ agent: 'support', when }] } },
});

test.each<[string, SessionMeta, object, object | undefined]>([
  ['nothing changes', session(group), {}, undefined],
  ['a topic of a forum stays', session(topic), {}, undefined],
  [
    'a direct chat moves along under its older names',
    session(direct),
    dimensions('chat', 'sender'),
    undefined,
  ],
  [
    'a group is split by person',
    session(group),
    dimensions('chat', 'sender'),
    { fate: 'taken', cause: 'dimensions' },
  ],
  ['people are put together', session(group, dimensions('chat', 'sender')), {}, undefined],
  ['chats are put together', session({ ...group, chatId: '-200' }), dimensions('space'), undefined],
  [
    'another agent answers',
    session(group),
    rule({ channel: 'telegram' }),
    { fate: 'stranded', cause: 'agent' },
  ],
  ['another agent answers elsewhere', session(group), rule({ channel: 'slack' }), undefined],
  ['a link is made, and older names lead along', session(direct, dimensions('sender')), linked, undefined],
  [
    'a link is made',
    session(group, dimensions('sender')),
    linked,
    { fate: 'stranded', cause: 'identity_links' },
  ],
  [
    'a link is taken away, and older names lead along',
    session(direct, linked),
    dimensions('sender'),
    undefined,
  ],
  ['a linked person stays', session(direct, linked), linked, undefined],
])('%s', (_what, meta, config, stranding) => {
  expect(strandingOf(meta, routing(config))).toEqual(stranding);
});

test('what no name leads to is stranded, by its cause', () => {
  const nameless = (meta: SessionMeta): SessionMeta => ({ ...meta, aliases: [] });
  expect(strandingOf(nameless(session(group)), routing(dimensions('chat', 'sender')))).toEqual({
    fate: 'stranded',
    cause: 'dimensions',
  });
  expect(strandingOf(nameless(session(group, dimensions('sender'))), routing(linked))).toEqual({
    fate: 'stranded',
    cause: 'identity_links',
  });
});

test('what is reached by its name, its key or as the main session is never stranded', () => {
  const split = routing(dimensions('sender'));
  expect(strandingOf(newMeta('agent:main:telegram:group:1', {}, ''), split)).toBeUndefined();
  expect(
    strandingOf(session({ channel: 'web', chatType: 'direct', chatId: 'notes' }), split),
  ).toBeUndefined();
});
