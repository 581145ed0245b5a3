import { expect, test } from 'vitest';
import type { ChannelRules } from '../configuration/channel-settings.js';
import { type Admission, admit } from './admission.js';

const closed: ChannelRules = {
  direct: 'pairing',
  allow: new Set(['1']),
  groups: new Set(['-100']),
  groupMembers: 'all',
  mention: 'required',
  unmentioned: 'ignore',
  botMessages: 0,
};
const direct = { chatType: 'direct', chatId: '5' };
const group = { chatType: 'group', chatId: '-100' };
const mentioned = { ...group, mentioned: true };
const bot = { isBot: true };

test.each<[string, Partial<ChannelRules>, object, object, object, Admission]>([
  ['a stranger in private', {}, direct, {}, {}, 'pair'],
  ['somebody on the list', {}, direct, { id: '1' }, {}, 'answer'],
  ['somebody approved', {}, direct, {}, { isApproved: true }, 'answer'],
  ['a stranger where only the list counts', { direct: 'allow' }, direct, {}, {}, 'ignore'],
  ['anybody where it is open', { direct: 'open' }, direct, {}, {}, 'answer'],
  ['somebody on the list where nobody may', { direct: 'off' }, direct, { id: '1' }, {}, 'ignore'],
  ['a message without a kind of chat is private', {}, { chatId: '5' }, {}, {}, 'pair'],
  ['a listed group, with a mention', {}, mentioned, {}, {}, 'answer'],
  ['a listed group, without one', {}, group, {}, {}, 'ignore'],
  ['the same as context', { unmentioned: 'context' }, group, {}, {}, 'context'],
  ['the same where none is needed', { mention: 'not-needed' }, group, {}, {}, 'answer'],
  ['another group, with a mention', {}, { ...mentioned, chatId: '-7' }, {}, {}, 'ignore'],
  ['any group where all are listed', { groups: '*' }, { ...mentioned, chatId: '-7' }, {}, {}, 'answer'],
  ['a channel is a group', {}, { ...mentioned, chatType: 'channel' }, {}, {}, 'answer'],
  ['a member who is not listed, where they must be', { groupMembers: 'allow' }, mentioned, {}, {}, 'ignore'],
  ['a member who is', { groupMembers: 'allow' }, mentioned, { id: '1' }, {}, 'answer'],
  ['a bot', { direct: 'open' }, direct, bot, {}, 'ignore'],
  ['a bot gets no code', { botMessages: 2 }, direct, bot, {}, 'ignore'],
  ['a bot where bots may speak', { botMessages: 2 }, mentioned, bot, { botMessages: 1 }, 'answer'],
  ['a bot that has spoken enough', { botMessages: 2 }, mentioned, bot, { botMessages: 2 }, 'ignore'],
])('%s', (_, rules, context, sender, known, expected) => {
  expect(
    admit(
      { ...closed, ...rules },
      {
        context: { channel: 'telegram', ...context },
        sender: { id: '9', name: '', isBot: false, ...sender },
      },
      { isApproved: false, botMessages: 0, ...known },
    ),
  ).toBe(expected);
});
