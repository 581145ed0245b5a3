import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConfigurationError } from './configuration-error.js';
import { dataLayout, sessionsOfStore } from './data-layout.js';
import type { Environment } from './environment.js';
import { loadConfiguration } from './load-configuration.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-configuration-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function load(value: unknown, environment: Environment = {}) {
  mkdirSync(join(folder, 'etc'), { recursive: true });
  const file = join(folder, 'etc/gateway.json');
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return loadConfiguration({ file, environment, folder });
}

function problems(value: unknown, environment: Environment = {}): readonly string[] {
  try {
    load(value, environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems.map(({ path, source, message }) => `${path || source}: ${message}`);
  }
}

test('without a file or a key: loopback, ./data, the offline model', () => {
  const configuration = loadConfiguration({ environment: {}, folder });
  expect(configuration).toMatchObject({
    file: undefined,
    gateway: { host: '127.0.0.1', port: 7420, tokens: [] },
    data: join(folder, 'data'),
    model: { provider: 'offline' },
    routing: { policy: expect.anything() },
  });
});

test('paths of the file are beside the file, those of the environment in the current folder', () => {
  expect(load({ data: 'mine' }).data).toBe(join(folder, 'etc/mine'));
  expect(load({ data: 'mine' }, { HOLDFAST_DATA: 'other' }).data).toBe(join(folder, 'other'));
  expect(load({ store: { kind: 'jsonl', path: '../s' } }).store.path).toBe(join(folder, 's'));
  expect(load({ store: { kind: 'sqlite', path: '../s.db' } }).store).toEqual({
    kind: 'sqlite',
    path: join(folder, 's.db'),
  });
  expect(dataLayout(load({ data: 'd', store: 'sqlite' })).store).toEqual({
    kind: 'sqlite',
    path: join(folder, 'etc/d/sessions.sqlite'),
  });
});

test('the environment stands over the file', () => {
  const file = {
    gateway: { host: '127.0.0.1', port: 1, token: 'from-the-file' },
    models: { default: 'offline' },
  };
  const environment = {
    HOLDFAST_HOST: '0.0.0.0',
    HOLDFAST_PORT: '0',
    HOLDFAST_TOKEN: 'from-outside',
    HOLDFAST_MODEL: 'anthropic:x',
    ANTHROPIC_API_KEY: 'key',
  };
  expect(load(file, environment)).toMatchObject({
    gateway: {
      host: '0.0.0.0',
      port: 0,
      tokens: [{ name: 'owner', token: 'from-outside', scopes: ['admin'] }],
    },
    model: { provider: 'anthropic', name: 'x' },
  });
  expect(load(file, { HOLDFAST_PORT: '', HOLDFAST_HOST: ' ' }).gateway).toMatchObject({
    host: '127.0.0.1',
    port: 1,
  });
});

test.each<[Environment, unknown]>([
  [{ OPENAI_API_KEY: 'k' }, { provider: 'openai', name: 'gpt-4.1-mini' }],
  [{ ANTHROPIC_API_KEY: 'k' }, { provider: 'anthropic', name: 'claude-sonnet-4-5' }],
  [{ GOOGLE_GENERATIVE_AI_API_KEY: 'k' }, { provider: 'google', name: 'gemini-2.5-flash' }],
  [
    { OPENAI_API_KEY: 'k', HOLDFAST_MODEL: 'gpt-x' },
    { provider: 'openai', name: 'gpt-x' },
  ],
  [
    { OPENAI_BASE_URL: 'http://localhost:1/v1', HOLDFAST_MODEL: 'llama3:8b' },
    { provider: 'openai-compatible', name: 'llama3:8b' },
  ],
  [{ OPENAI_API_KEY: 'k', HOLDFAST_MODEL: 'offline' }, { provider: 'offline' }],
])('a key alone chooses a model: %o', (environment, model) => {
  expect(loadConfiguration({ environment, folder }).model).toEqual(model);
});

test('an address in brackets is the address', () => {
  expect(load({ gateway: { host: '[::1]' } }).gateway.host).toBe('::1');
  expect(load({}, { HOLDFAST_HOST: '[::1]' }).gateway.host).toBe('::1');
});

test('a model of the file stands over a key that lies about', () => {
  expect(load({ models: { default: 'offline' } }, { OPENAI_API_KEY: 'k' }).model).toEqual({
    provider: 'offline',
  });
});

test.each<[unknown, Environment, RegExp]>([
  ['{ oops', {}, /gateway\.json: expected JSON or JSON5/],
  [[], {}, /expected/],
  [{ gateway: { port: 70_000 } }, {}, /^gateway\.port: .*65535/],
  [{}, { HOLDFAST_PORT: 'http' }, /^HOLDFAST_PORT: expected a port from 0/],
  [{}, { HOLDFAST_PORT: '0x1F90' }, /^HOLDFAST_PORT: expected a port from 0/],
  [{}, { HOLDFAST_PORT: '1e3' }, /^HOLDFAST_PORT: expected a port from 0/],
  [{ gateway: { host: '::' } }, {}, /^gateway\.host: .*token/],
  [{}, { HOLDFAST_HOST: '0.0.0.0' }, /^HOLDFAST_HOST: 0\.0\.0\.0 .*token/],
  [{ gatway: {} }, {}, /^gatway: unknown name/],
  [{ models: { default: 'mistral:x' } }, {}, /^models\.default: expected offline or provider:name/],
  [{ models: { default: 'anthropic:x' } }, {}, /^models\.default: .*ANTHROPIC_API_KEY/],
  [
    { models: { default: 'openai:x', providers: { openai: { api_key_env: 'MY_KEY' } } } },
    {},
    /^models\.default: .*MY_KEY/,
  ],
  [
    { agents: { list: [{ id: 'a', model: 'google:x' }] } },
    {},
    /^agents\.list\[0\]\.model: .*GOOGLE_GENERATIVE_AI_API_KEY/,
  ],
  [{}, { OPENAI_BASE_URL: 'http://localhost:1/v1' }, /^OPENAI_BASE_URL: .*HOLDFAST_MODEL/],
  [{}, { HOLDFAST_MODEL: 'llama' }, /^HOLDFAST_MODEL: /],
  [{ store: 'postgres' }, {}, /^store: .*not in this version/],
  [{ session: { dimensions: 'chat' } }, {}, /^session\.dimensions: /],
  [{ session: { dm_scope: 'everyone' } }, {}, /^session\.dm_scope: /],
])('a fault is one problem that says where: %o %o', (value, environment, expected) => {
  expect(problems(value, environment)).toEqual([expect.stringMatching(expected)]);
});

test('PicoClaw’s blocks are read as they are, unknown fields of theirs included', () => {
  const configuration = load({
    session: { dimensions: ['chat', 'sender'], identity_links: { ann: ['telegram:1'] }, backlog_limit: 20 },
    agents: {
      defaults: { workspace: '~/.picoclaw/workspace' },
      list: [
        { id: 'Main', default: true, instructions: 'Be kind.' },
        { id: 'night', name: 'Night', skills: ['x'] },
      ],
      dispatch: { rules: [{ agent: 'night', when: { channel: 'telegram' } }] },
    },
  });
  expect(configuration.agents).toEqual([
    { id: 'main', isDefault: true, model: undefined, instructions: 'Be kind.' },
    { id: 'night', isDefault: false, model: undefined, instructions: undefined },
  ]);
});

test('sessions lie in the data folder, or are the data folder where it holds some already', () => {
  const data = join(folder, 'data');
  const store = { kind: 'jsonl', path: undefined } as const;
  expect(dataLayout({ data, store }).store.path).toBe(join(data, 'sessions'));
  mkdirSync(join(data, 'sessions'), { recursive: true });
  writeFileSync(join(data, 'sessions/a.jsonl'), '');
  expect(dataLayout({ data, store }).store.path).toBe(join(data, 'sessions'));
  expect(dataLayout({ data: join(data, 'sessions'), store }).store.path).toBe(join(data, 'sessions'));
  expect(sessionsOfStore(data)).toBe(join(data, 'sessions'));
  expect(sessionsOfStore(join(data, 'new'))).toBe(join(data, 'new'));
});
