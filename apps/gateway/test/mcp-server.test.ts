import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type McpServerSettings, openMcpServer } from '../src/tools/mcp-server.js';
import { loopbackServer } from './support/loopback-server.js';
import { mcpAnswer } from './support/mcp-answers.mjs';

const script = fileURLToPath(new URL('./support/mcp-stdio-server.mjs', import.meta.url));
const stdio = (file = script): McpServerSettings => ({
  name: 'test',
  kind: 'stdio',
  command: process.execPath,
  args: [file],
  env: {},
  folder: process.cwd(),
});

async function http(): Promise<McpServerSettings & { readonly asked: readonly (string | undefined)[] }> {
  const asked: (string | undefined)[] = [];
  const { url } = await loopbackServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    asked.push(request.headers.authorization);
    const answer = mcpAnswer(JSON.parse(await text(request)), () => void request.socket.destroy());
    if (answer === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  return {
    name: 'test',
    kind: 'http',
    url: `${url}/mcp`,
    headers: { authorization: 'Bearer key' },
    asked,
  };
}

async function opened(settings: McpServerSettings) {
  const server = await openMcpServer(settings, () => {});
  onTestFinished(() => server.close());
  const call = (name: string, input: unknown = {}) => {
    const tool = server.tools.find((each) => each.name === name);
    return tool?.execute(input, { sessionKey: 's', turnId: 't', signal: AbortSignal.timeout(20_000) });
  };
  return { server, call };
}

describe.each([
  ['stdio', async () => stdio()],
  ['http', http],
])('a server over %s', (_kind, settings) => {
  it('lends its tools, described as it describes them', async () => {
    const { server, call } = await opened(await settings());
    expect(server.tools).toMatchObject([
      {
        name: 'test_echo',
        description: 'Says it again.',
        inputJsonSchema: { type: 'object', properties: { text: { type: 'string' } } },
        isReadOnly: true,
        runsBesideOthers: true,
      },
      { name: 'test_fail', isReadOnly: false, runsBesideOthers: false },
      { name: 'test_die_now' },
    ]);
    expect(await call('test_echo', { text: 'hi' })).toBe('echo: hi\n[image/png]');
    await expect(call('test_fail')).rejects.toThrow('It does not work.');
  });

  it('is connected to anew after it broke', async () => {
    const { call } = await opened(await settings());
    await expect(call('test_die_now')).rejects.toThrow();
    expect(await call('test_echo', { text: 'again' })).toContain('echo: again');
  });
});

it('a server over http is sent its headers', async () => {
  const settings = await http();
  await opened(settings);
  expect(new Set(settings.asked)).toEqual(new Set(['Bearer key']));
});

it('a server that cannot be reached is an error', async () => {
  await expect(openMcpServer(stdio('/nowhere.mjs'), () => {})).rejects.toThrow();
  const away: McpServerSettings = { name: 'away', kind: 'http', url: 'http://127.0.0.1:1/', headers: {} };
  await expect(openMcpServer(away, () => {})).rejects.toThrow();
});
