import { expect, test } from 'vitest';
import type { Session } from '../api/shapes.js';
import { isGeneratedName, newChatName, sessionName, titleFrom } from './session-name.js';

function session(more: Partial<Session>): Session {
  return {
    key: 'sk_v1_0',
    title: null,
    channel: 'telegram',
    agent_id: 'main',
    message_count: 1,
    active_count: 1,
    summary: '',
    aliases: [],
    created_at: '',
    updated_at: '',
    archived: false,
    deleted: false,
    turn: 'idle',
    ...more,
  };
}

test('a session is called by its title, else by whom it is with, else by what was said', () => {
  expect(sessionName(session({ title: 'Trip' }))).toBe('Trip');
  const aliases = ['agent:main:main', 'agent:main:telegram:direct:4711'];
  expect(sessionName(session({ aliases }))).toBe('4711');
  const older = { key: 'agent:main:direct:user123', channel: 'unknown' };
  expect(sessionName(session(older))).toBe('user123');
  expect(sessionName(session({ key: 'agent:main:main' }))).toBe('Main conversation');
  expect(sessionName(session({ preview: '**Hi** there\nand more' }))).toBe('Hi there and more');
  expect(sessionName(session({}))).toBe('Telegram conversation');
});

test('the name a new chat is begun under is never shown', () => {
  const name = newChatName();
  expect(isGeneratedName(name)).toBe(true);
  expect(newChatName()).not.toBe(name);
  expect(sessionName(session({ title: name, aliases: [name], channel: 'web' }))).toBe('Web conversation');
});

test('a title is the first line, cut at a word', () => {
  expect(titleFrom('  Plan the trip\nto the sea  ')).toBe('Plan the trip');
  expect(titleFrom('word '.repeat(40))).toBe(`${'word '.repeat(11)}word…`);
  expect(titleFrom('\n')).toBe('New chat');
});
