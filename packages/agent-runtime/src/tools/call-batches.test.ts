import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../agent.js';
import { callBatches } from './call-batches.js';

const tool = (name: string, runsBesideOthers: boolean) =>
  defineTool({
    name,
    description: name,
    runsBesideOthers,
    inputSchema: z.object({}),
    execute: async () => '',
  });
const tools = [tool('read', true), tool('write', false)];

it.each([
  ['', ''],
  ['read', 'read'],
  ['read read write read read', 'read read | write | read read'],
  ['write write', 'write | write'],
  ['unknown unknown read', 'unknown | unknown | read'],
  ['read read read read read read read read read', 'read read read read read read read read | read'],
])('runs "%s" as "%s"', (names, batches) => {
  const calls = names
    .split(' ')
    .filter((name) => name !== '')
    .map((name, index) => ({ id: String(index), name, arguments: '{}' }));
  const made = callBatches(calls, tools);
  expect(made.map((batch) => batch.map(({ name }) => name).join(' ')).join(' | ')).toBe(batches);
  expect(made.flat()).toEqual(calls);
});
