import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf } from './support/client.js';
import { startProgram } from './support/program.js';
import { temporaryFolder } from './support/temporary-folder.js';

const gatewayFolder = join(import.meta.dirname, '..');
const example = join(gatewayFolder, 'examples/ask.mjs');
const read = (path: string) => readFileSync(join(gatewayFolder, path), 'utf8');

const sources = readdirSync(join(gatewayFolder, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => read(join('src', name)))
  .join('\n');

test('the example of the README runs', async () => {
  expect(read('README.md')).toContain(readFileSync(example, 'utf8'));
  const gateway = await startProgram(temporaryFolder());
  onTestFinished(async () => void (await gateway.end()));
  const { stdout } = await promisify(execFile)(process.execPath, [
    example,
    gateway.url,
    'hello there',
    'mine',
  ]);
  expect(stdout).toContain('You said: hello there');
  expect((await clientOf(gateway.url).get('/api/sessions/mine')).session.message_count).toBe(2);
});

test('the HTTP reference names every route and every error code', () => {
  const reference = read('../../docs/http.md');
  const routes = sources.matchAll(/method: '(get|post|put|patch|delete)',\s+path: ['`]([^'`$]+)['`]/g);
  for (const [, method, path] of routes) expect(reference).toContain(`${method?.toUpperCase()} ${path}`);
  const codes = [
    ...[...sources.matchAll(/new RequestError\(\s*\d+,\s*'([a-z_]+)'/g)].map(([, code]) => code),
    ...[...sources.matchAll(/: \[\d+, '([a-z_]+)'\]/g)].map(([, code]) => code),
  ];
  expect(codes.length).toBeGreaterThan(15);
  for (const code of codes) expect(reference).toContain(`\`${code}\``);
});

test('the configuration reference names every variable and every field', async () => {
  const reference = read('../../docs/configuration.md');
  for (const [name] of sources.matchAll(/\b(?:HOLDFAST|OPENAI|ANTHROPIC|GOOGLE_GENERATIVE_AI)_[A-Z_]+\b/g)) {
    expect(reference).toContain(name);
  }
  const fields = read('src/configuration/configuration-file.ts').matchAll(
    /^\s+'?([a-z_-]+)'?: (?:z\b|agentList|modelRef|provider)/gm,
  );
  for (const [, field] of fields) if (field !== 'kind') expect(reference).toContain(field);
});
