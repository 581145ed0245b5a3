import { expect, test } from 'vitest';
import { parseRoutingConfig, RoutingConfigError, type RoutingProblem, readRoutingConfig } from './index.js';

const when = { channel: 'telegram' };
const withRules = (...rules: unknown[]) => ({ agents: { list: [{ id: 'main' }], dispatch: { rules } } });

test.each([[undefined], [null], [{}], [{ session: null, agents: { list: null, dispatch: null } }]])(
  'needs nothing: %j is one session a chat, answered by main',
  (value) => {
    expect(parseRoutingConfig(value)).toEqual({
      policy: { dimensions: ['chat'], identityLinks: {} },
      agentIds: [],
      defaultAgentId: 'main',
      rules: [],
    });
  },
);

test("reads PicoClaw's blocks and passes over fields of theirs that are for others", () => {
  const config = parseRoutingConfig({
    session: {
      dimensions: [' Chat', 'sender', 'chat'],
      identity_links: { Ann: ['telegram:1'] },
      case_sensitive_channels: [' Matrix ', 'matrix', ''],
      backlog: 5,
    },
    agents: {
      defaults: { model: 'x' },
      list: [
        { id: 'Support Desk', workspace: '~' },
        { id: 'sales', default: true },
      ],
      dispatch: { rules: [{ name: ' VIP ', agent: 'support desk', when, session_dimensions: ['sender'] }] },
    },
  });
  expect(config).toMatchObject({
    policy: {
      dimensions: ['chat', 'sender'],
      identityLinks: { Ann: ['telegram:1'] },
      caseSensitiveChannels: ['matrix'],
    },
    agentIds: ['support-desk', 'sales'],
    defaultAgentId: 'sales',
    rules: [
      {
        index: 0,
        name: 'vip',
        agentId: 'support-desk',
        policy: { dimensions: ['sender'], identityLinks: { Ann: ['telegram:1'] } },
      },
    ],
  });
});

test.each([
  ['per-channel-peer', ['chat', 'sender']],
  ['per-channel', ['chat']],
  ['Per-Peer', ['sender']],
  ['global', []],
  ['', ['chat']],
])('takes dm_scope %j for the dimensions %j', (dm_scope, dimensions) => {
  expect(parseRoutingConfig({ session: { dm_scope } }).policy.dimensions).toEqual(dimensions);
});

test('lets dimensions that are written win over dm_scope', () => {
  const both = { dm_scope: 'per-peer', dimensions: ['topic'] };
  expect(parseRoutingConfig({ session: both }).policy.dimensions).toEqual(['topic']);
  expect(parseRoutingConfig({ session: { dimensions: [] } }).policy.dimensions).toEqual([]);
  expect(parseRoutingConfig({ session: { ...both, dimensions: [] } }).policy.dimensions).toEqual(['sender']);
});

const rule = { agent: 'main', when };

const faults: readonly (readonly [value: unknown, problem: RoutingProblem, lenient: unknown])[] = [
  [
    { session: { dimensions: ['chat', 'thread'] } },
    {
      code: 'unknown_dimension',
      path: 'session.dimensions[1]',
      message: '"thread" is no dimension; expected one of space, chat, topic, sender.',
    },
    { policy: { dimensions: ['chat'] } },
  ],
  [
    { session: { dm_scope: 'everyone' } },
    {
      code: 'unknown_dm_scope',
      path: 'session.dm_scope',
      message: '"everyone" is no dm_scope; expected one of per-channel-peer, per-channel, per-peer, global.',
    },
    { policy: { dimensions: ['chat'] } },
  ],
  [
    withRules({ name: 'VIP', agent: 'ghost', when }),
    {
      code: 'unknown_agent',
      path: 'agents.dispatch.rules[0].agent',
      rule: '"vip"',
      message: 'Rule "vip" names the agent "ghost", which is not in agents.list; expected one of main.',
    },
    { rules: [{ agentId: 'main' }] },
  ],
  [
    withRules({ when }),
    {
      code: 'missing_agent',
      path: 'agents.dispatch.rules[0].agent',
      rule: '#1',
      message: 'Rule #1 names no agent; expected one of main.',
    },
    { rules: [{ agentId: 'main' }] },
  ],
  [
    withRules({ agent: 'main', when: { channel: ' ' } }),
    {
      code: 'no_constraint',
      path: 'agents.dispatch.rules[0].when',
      rule: '#1',
      message:
        'Rule #1 has no constraint; expected at least one of channel, account, space, chat, topic, sender, mentioned.',
    },
    { rules: [] },
  ],
  [
    withRules({ ...rule, name: 'a' }, { agent: 'main', when: { chat: 'group:1' }, name: 'A ' }),
    {
      code: 'duplicate_rule_name',
      path: 'agents.dispatch.rules[1].name',
      rule: '"a"',
      message:
        'Rule "a" has the name of agents.dispatch.rules[0]; expected a name of its own, so that it can be told apart.',
    },
    { rules: [{ name: 'a' }, { name: 'a' }] },
  ],
  [
    withRules(rule, { agent: 'main', when: { channel: 'Telegram', sender: 'ann' } }),
    {
      code: 'unreachable_rule',
      path: 'agents.dispatch.rules[1]',
      rule: '#2',
      message:
        'Rule #2 is never reached: agents.dispatch.rules[0] takes every message it would take; expected the narrower rule first.',
    },
    { rules: [{}, {}] },
  ],
  [
    {
      agents: {
        list: [
          { id: 'a', default: true },
          { id: 'b', default: true },
        ],
      },
    },
    {
      code: 'two_defaults',
      path: 'agents.list[1].default',
      message: 'b is marked as default, and so is a; expected one default agent at most.',
    },
    { defaultAgentId: 'a' },
  ],
  [
    { agents: { list: [{ id: 'a b' }, { id: 'A-B' }] } },
    {
      code: 'duplicate_agent',
      path: 'agents.list[1].id',
      message: '"A-B" names the agent a-b, which is listed before; expected each agent once.',
    },
    { agentIds: ['a-b'] },
  ],
  [
    { agents: { list: [{ id: ' ' }] } },
    { code: 'empty_agent_id', path: 'agents.list[0].id', message: 'An agent has no id; expected a name.' },
    { agentIds: ['main'], defaultAgentId: 'main' },
  ],
  [
    { session: { identity_links: { Ann: ['1'], Bo: [' 1 '] } } },
    {
      code: 'ambiguous_identity',
      path: 'session.identity_links["Bo"]',
      message: '" 1 " is linked to "Ann" and to "Bo"; expected each id in one link only.',
    },
    {},
  ],
  [
    { session: { identity_links: { ' ': ['1'] } } },
    {
      code: 'empty_identity_name',
      path: 'session.identity_links[" "]',
      message: 'An identity link has no canonical name; expected the name its ids are to share.',
    },
    { policy: { identityLinks: {} } },
  ],
];

test.each(faults)('refuses %j, and reads it leniently with a warning', (value, problem, lenient) => {
  const refusal = refusalOf(value);
  expect(refusal.problems).toEqual([problem]);
  expect(refusal).toMatchObject({ code: problem.code, path: problem.path, rule: problem.rule });
  expect(refusal.message).toBe(`${problem.path}: ${problem.message}`);
  const { config, warnings } = readRoutingConfig(value);
  expect(config).toMatchObject(lenient as object);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(`${problem.path}: ${problem.message} `);
  expect(warnings[0]).not.toContain('\n');
});

test('refuses a rule whose dimensions are all unknown, by its name', () => {
  const value = withRules({ ...rule, name: 'forum', session_dimensions: ['thread'] });
  const { problems } = refusalOf(value);
  expect(problems.map(({ code, path, rule: named }) => [code, path, named])).toEqual([
    ['unknown_dimension', 'agents.dispatch.rules[0].session_dimensions[0]', '"forum"'],
    ['no_known_dimension', 'agents.dispatch.rules[0].session_dimensions', '"forum"'],
  ]);
  expect(problems[1]?.message).toContain('Rule "forum"');
  expect(readRoutingConfig(value).config.rules[0]?.policy.dimensions).toEqual([]);
});

test('refuses session dimensions that are all unknown', () => {
  expect(refusalOf({ session: { dimensions: ['thread'] } }).problems.map(({ code }) => code)).toEqual([
    'unknown_dimension',
    'no_known_dimension',
  ]);
});

test('tells everything that is wrong at once, a line each', () => {
  const refusal = refusalOf({
    session: { dm_scope: 'x', identity_links: { a: ['1'], b: ['1'] } },
    ...withRules({ agent: 'ghost', when }, { agent: 'main' }),
  });
  expect(refusal.problems.map(({ code }) => code)).toEqual([
    'unknown_dm_scope',
    'ambiguous_identity',
    'unknown_agent',
    'no_constraint',
  ]);
  expect(refusal.message.split('\n')).toHaveLength(4);
});

test.each([
  ['x', '', undefined, 'an object with session and agents expected'],
  [{ session: [] }, 'session', undefined, 'an object expected'],
  [{ session: { dimensions: 'chat' } }, 'session.dimensions', undefined, 'a list of words expected'],
  [
    { session: { identity_links: { 'a b': [1] } } },
    'session.identity_links["a b"][0]',
    undefined,
    'an id in quotes expected',
  ],
  [withRules(7), 'agents.dispatch.rules[0]', '#1', 'a rule expected'],
  [
    withRules({ agent: 'main', when: { mentioned: 'yes' } }),
    'agents.dispatch.rules[0].when.mentioned',
    '#1',
    'true or false expected',
  ],
])('refuses the wrong shape %j, also leniently', (value, path, named, expected) => {
  for (const read of [parseRoutingConfig, readRoutingConfig]) {
    const refusal = refusalOf(value, read);
    expect(refusal).toMatchObject({ code: 'wrong_shape', path, rule: named });
    expect(refusal.message).toContain(expected);
  }
});

test('lets a rule name any agent while no list says who exists', () => {
  const config = parseRoutingConfig({ agents: { dispatch: { rules: [{ agent: 'Anyone', when }] } } });
  expect(config.rules[0]?.agentId).toBe('anyone');
});

test('does not call a rule unreachable that differs by case where case matters', () => {
  const rules = ['group:AbC', 'group:aBc'].map((chat) => ({ agent: 'main', when: { chat } }));
  expect(refusalOf(withRules(...rules)).code).toBe('unreachable_rule');
  const sensitive = { session: { case_sensitive_channels: ['signal'] }, ...withRules(...rules) };
  expect(parseRoutingConfig(sensitive).rules).toHaveLength(2);
});

test('does not let a rule without constraint hide others', () => {
  const { config, warnings } = readRoutingConfig(withRules({ agent: 'main' }, rule));
  expect(config.rules).toHaveLength(1);
  expect(warnings).toHaveLength(1);
});

test('gives a configuration that nobody can change', () => {
  const config = parseRoutingConfig({ session: { identity_links: { a: ['1'] } }, ...withRules(rule) });
  const frozen = [
    config,
    config.policy,
    config.policy.dimensions,
    config.policy.identityLinks,
    config.policy.identityLinks.a,
    config.rules,
    config.rules[0],
    config.rules[0]?.constraints,
  ];
  expect(frozen.every((part) => part !== undefined && Object.isFrozen(part))).toBe(true);
});

function refusalOf(
  value: unknown,
  read: (value: unknown) => unknown = parseRoutingConfig,
): RoutingConfigError {
  try {
    read(value);
  } catch (error) {
    if (error instanceof RoutingConfigError) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
}
