import { createMemoryBackend } from '@x/session-store';
import { expect, it } from 'vitest';
import { sessionSearchTool } from './session-search.js';

async function house() {
  const backend = createMemoryBackend();
  const tool = sessionSearchTool(backend);
  await backend.ensure('mine');
  await backend.ensure('other');
  const search = (text: string, limit?: number) =>
    tool.execute(tool.inputSchema.parse({ text, ...(limit === undefined ? {} : { limit }) }), {
      sessionKey: 'mine',
      turnId: 't',
      signal: AbortSignal.timeout(10_000),
    });
  return { backend, search };
}

it('finds words of its own conversation, before a reset too, the newest first', async () => {
  const { backend, search } = await house();
  await backend.append('mine', [{ role: 'user', content: 'The Lighthouse is red.' }]);
  await backend.reset('mine');
  await backend.append('mine', [
    { role: 'assistant', content: 'A lighthouse has a lamp.' },
    { role: 'tool', content: 'lighthouse', toolCallId: 'c' },
  ]);
  await backend.append('other', [{ role: 'user', content: 'My lighthouse is secret.' }]);
  const found = String(await search('LIGHTHOUSE'));
  expect(found).toMatch(
    /^\S+Z Assistant: A lighthouse has a lamp\.\n\n\S+Z Person: The Lighthouse is red\.$/,
  );
});

it('looks through many messages page by page, and says where there is nothing', async () => {
  const { backend, search } = await house();
  const many = Array.from({ length: 700 }, (_, index) => ({
    role: 'user' as const,
    content: `word ${index}`,
  }));
  await backend.append('mine', many);
  expect(await search('word x')).toBe('Nothing was found.');
  expect(String(await search('word 3')).split('\n\n')).toHaveLength(10);
  expect(String(await search('word 699', 1))).toContain('word 699');
  expect(String(await search('word 0'))).toContain('word 0');
});
