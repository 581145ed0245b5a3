import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigurationError } from './configuration-error.js';
import type { Environment } from './environment.js';
import { loadConfiguration } from './load-configuration.js';
import { permissionOf } from './tool-settings.js';

function load(value: unknown, environment: Environment = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-settings-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'holdfast.config.json');
  writeFileSync(file, JSON.stringify(value));
  return { folder, configuration: loadConfiguration({ file, environment, folder }) };
}

function problems(value: unknown, environment: Environment = {}): readonly string[] {
  try {
    load(value, environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems.map(({ path, message }) => `${path}: ${message}`);
  }
}

describe('models, context and tools', () => {
  it('have defaults', () => {
    const { models, context, tools } = load({}).configuration;
    expect(models).toEqual({ light: undefined, lightThreshold: undefined, fallbacks: [], known: {} });
    expect(context).toEqual({});
    expect(tools).toEqual({
      permissions: {},
      sessionSearch: true,
      webFetch: false,
      files: undefined,
      mcp: [],
    });
  });

  it('are read', () => {
    const { folder, configuration } = load(
      {
        models: {
          light: 'openai:gpt-4.1-mini',
          light_threshold: 0.5,
          fallbacks: ['offline'],
          known: {
            'openai: gpt-4.1': {
              context_tokens: 50_000,
              price: { input_per_million: 2, output_per_million: 8 },
            },
          },
        },
        context: { automatic: false, summarise_at_messages: 50, summarise_at_share: 0.5, keep_messages: 10 },
        tools: {
          permissions: { write_file: 'ask' },
          session_search: false,
          web_fetch: true,
          files: { folder: 'files' },
          mcp: {
            near: { command: 'server', args: ['-v'], env: { A: '1' }, env_from: { B: 'TOKEN' } },
            far: { url: 'https://mcp.example/', headers_from: { authorization: 'TOKEN' } },
          },
        },
        agents: { list: [{ id: 'main', light_model: 'offline', fallback_models: [] }] },
      },
      { OPENAI_API_KEY: 'key', TOKEN: 'secret' },
    );
    expect(configuration.models).toEqual({
      light: { provider: 'openai', name: 'gpt-4.1-mini' },
      lightThreshold: 0.5,
      fallbacks: [{ provider: 'offline' }],
      known: {
        'openai:gpt-4.1': { contextTokens: 50_000, price: { inputPerMillion: 2, outputPerMillion: 8 } },
      },
    });
    expect(configuration.context).toEqual({
      automatic: false,
      summariseAtMessages: 50,
      summariseAtShare: 0.5,
      keepMessages: 10,
    });
    expect(configuration.tools).toEqual({
      permissions: { write_file: 'ask' },
      sessionSearch: false,
      webFetch: true,
      files: join(folder, 'files'),
      mcp: [
        {
          name: 'near',
          kind: 'stdio',
          command: 'server',
          args: ['-v'],
          env: { A: '1', B: 'secret' },
          folder,
        },
        { name: 'far', kind: 'http', url: 'https://mcp.example/', headers: { authorization: 'secret' } },
      ],
    });
    expect(configuration.agents[0]).toMatchObject({
      lightModel: { provider: 'offline' },
      fallbackModels: [],
    });
  });

  it('are refused with the place and the reason', () => {
    expect(problems({ models: { fallbacks: ['openai:gpt-4.1', 'nobody'] } })).toEqual([
      expect.stringMatching(/^models\.fallbacks\[1\]: expected offline or provider:name/),
    ]);
    expect(problems({ models: { light: 'anthropic:claude' } })).toEqual([
      expect.stringMatching(/^models\.light: .*needs an API key/),
    ]);
    expect(problems({ agents: { list: [{ id: 'main', fallback_models: ['google:gemini'] }] } })).toEqual([
      expect.stringMatching(/^agents\.list\[0\]\.fallback_models\[0\]: .*needs an API key/),
    ]);
    expect(
      problems({ tools: { mcp: { far: { url: 'https://x.test', headers_from: { a: 'NOT_SET' } } } } }),
    ).toEqual(['tools.mcp.far.headers_from.a: the environment variable NOT_SET is not set']);
    expect(problems({ tools: { permissions: { write: 'maybe' } } })).toHaveLength(1);
    expect(problems({ tools: { shell: true } })).toHaveLength(1);
    expect(problems({ context: { summarise_at_share: 2 } })).toHaveLength(1);
  });
});

it.each([
  ['write_file', 'deny'],
  ['write_other', 'ask'],
  ['web_fetch', 'allow'],
  ['read_file', 'ask'],
] as const)('the permission of %s is %s', (tool, permission) => {
  const permissions = {
    write_file: 'deny',
    'write_*': 'ask',
    'w*': 'deny',
    '*': 'ask',
    'web_*': 'allow',
  } as const;
  expect(permissionOf(permissions, tool, 'allow')).toBe(permission);
});
