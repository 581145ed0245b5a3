import { allocate, parseInboundContext, scopeSignature } from '@x/session-scope';

// A message from topic 42 of a Telegram forum, as a webhook would bring it.
const context = parseInboundContext({
  channel: 'telegram',
  chat_id: -1001234567890,
  chat_type: 'group',
  topic_id: 42,
  sender_id: 7,
});

const allocation = allocate({
  agentId: 'main',
  context,
  policy: { dimensions: ['chat', 'sender'], identityLinks: { ann: ['telegram:7', 'slack:U2'] } },
});

console.log(scopeSignature(allocation.scope));
console.log(allocation.sessionKey);
console.log(allocation.sessionAliases.join(', '));
