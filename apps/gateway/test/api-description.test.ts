import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfiguration } from '../src/configuration/load-configuration.js';
import { openGateway } from '../src/gateway.js';
import { createApp } from '../src/http/app.js';
import { createLog } from '../src/log.js';
import { temporaryFolder } from './support/temporary-folder.js';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: object }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

async function app() {
  const folder = temporaryFolder();
  const configuration = loadConfiguration({ environment: { HOLDFAST_DATA: join(folder, 'data') }, folder });
  const gateway = await openGateway(configuration, {}, createLog('silent', false));
  onTestFinished(() => gateway.close({ graceMs: 0 }));
  const page = join(folder, 'web');
  mkdirSync(join(page, 'assets'), { recursive: true });
  writeFileSync(join(page, 'index.html'), '<!doctype html><title>page</title>');
  writeFileSync(join(page, 'assets/index-abc123.js'), 'export {};');
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  const created = createApp(gateway, page);
  return { created, get: (path: string) => created.request(path, { headers: { host: 'localhost' } }) };
}

test('the description lists every route that the server has, and no other', async () => {
  const { created, get } = await app();
  const description = (await (await get('/openapi.json')).json()) as {
    openapi: string;
    paths: Record<string, Record<string, Operation>>;
  };
  expect(description.openapi).toBe('3.1.0');
  const served = created.routes
    .filter(({ method, path }) => method !== 'ALL' && !path.includes('*'))
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  const described = Object.entries(description.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.toSorted()).toEqual(served.toSorted());

  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, operation })),
  );
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
  for (const { path, operation } of operations) {
    expect(operation.summary).not.toBe('');
    expect(Object.keys(operation.responses)).toEqual(['200', 'default']);
    const inPath = operation.parameters
      .filter((parameter) => parameter.in === 'path')
      .map(({ name }) => name);
    expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    for (const { content } of operation.requestBody ? [operation.requestBody] : []) {
      expect(content['application/json']?.schema).toHaveProperty('type', 'object');
    }
  }
});

test('the metrics count what happened', async () => {
  const { created, get } = await app();
  const answer = await created.request('/api/chat', {
    method: 'POST',
    body: '{"text":"hello"}',
    headers: { host: 'localhost', accept: 'application/json' },
  });
  expect(answer.status).toBe(200);
  const text = await (await get('/metrics')).text();
  expect(text).toMatch(/^holdfast_turns_total\{status="done"\} 1$/m);
  expect(text).toMatch(/^holdfast_messages_total\{role="assistant"\} 1$/m);
  expect(text).toMatch(/^holdfast_http_requests_total\{method="POST",route="\/api\/chat",status="200"\} 1$/m);
  expect(text).toMatch(/^holdfast_turns_running 0$/m);
});

test('the page is served with lasting names for what never changes, and nothing beside it', async () => {
  const { get } = await app();
  const index = await get('/');
  expect([index.status, index.headers.get('cache-control')]).toEqual([200, 'no-cache']);
  expect(index.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const script = await get('/assets/index-abc123.js');
  expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  for (const path of [
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/assets',
  ]) {
    expect((await get(path)).status).toBe(404);
  }
});
