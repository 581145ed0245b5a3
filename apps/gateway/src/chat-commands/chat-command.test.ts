import { expect, test } from 'vitest';
import { parseCommand } from './chat-command.js';

test.each([
  ['/new', { name: 'new', rest: '' }],
  ['/NEW  Plan the trip \n', { name: 'new', rest: 'Plan the trip' }],
  ['/reset@holdfast_bot hello', { name: 'reset', rest: 'hello' }],
  ['/title two\nlines', { name: 'title', rest: 'two\nlines' }],
  ['/fail-after 3', { name: 'fail-after', rest: '3' }],
])('%j is a command', (text, command) => {
  expect(parseCommand(text)).toEqual(command);
});

test.each([
  '',
  '/',
  '/ new',
  ' /new',
  'new',
  '/usr/bin/env',
  '/etc/passwd is a file',
  '/3',
  '//new',
  '/a.b',
  'say /new',
])('%j is none', (text) => {
  expect(parseCommand(text)).toBeUndefined();
});
