import { chooseModel, createRouter, parseRoutingConfig } from '@x/routing';

const config = parseRoutingConfig({
  session: { dimensions: ['chat'] },
  agents: {
    list: [{ id: 'main', default: true }, { id: 'support' }],
    dispatch: {
      rules: [
        { name: 'night shift', agent: 'support', when: { channel: 'slack' } },
        {
          name: 'forum',
          agent: 'support',
          when: { chat: 'group:-100' },
          session_dimensions: ['chat', 'sender'],
        },
      ],
    },
  },
});

const router = createRouter(config);
const { decision, tried } = router.explain({
  channel: 'telegram',
  chatType: 'group',
  chatId: '-100',
  topicId: '42',
  senderId: '7',
});

console.log(
  `${decision.agentId} by ${decision.matchedBy}, apart by ${decision.policy.dimensions.join(' and ')}`,
);
for (const { name, missed } of tried) {
  console.log(
    `${name}: ${missed ? `${missed.field} is ${missed.found}, not ${missed.expected}` : 'matches'}`,
  );
}
console.log(chooseModel({ text: 'What time is it?' }).model);
