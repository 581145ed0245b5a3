import { expect, it } from 'vitest';
import { createApp } from '../src/http/app.js';
import { receive } from '../src/receive.js';
import { surfaceContext } from '../src/surface-context.js';
import type { StreamEvent } from './support/client.js';
import { collect, eventsOf } from './support/client.js';
import { gatewayHere } from './support/gateway-here.js';

it('a message posted while an answer comes is accepted at once, and answered by the running turn', async () => {
  const here = await gatewayHere();
  const { gateway } = here;
  const first = await receive(gateway, {
    context: surfaceContext('web'),
    session: 'desk',
    text: '/slow 1 one two three four',
  });
  await first.accepted;
  const app = createApp(gateway, here.folder);
  const seen: StreamEvent[] = [];
  const watching = new AbortController();
  const live = await app.request('http://127.0.0.1/api/events', {
    headers: { host: '127.0.0.1' },
    signal: watching.signal,
  });
  const watched: StreamEvent[] = [];
  const reading = (async () => {
    for await (const event of eventsOf(live)) {
      watched.push(event);
      if (event.event === 'turn' && event.data.state === 'done') return;
    }
  })();
  const answer = await app.request('http://127.0.0.1/api/chat', {
    method: 'POST',
    headers: { host: '127.0.0.1', 'content-type': 'application/json' },
    body: JSON.stringify({ session: 'desk', text: 'and what did I say?', id: 'second' }),
  });
  for await (const event of eventsOf(answer)) seen.push(event);
  await reading;
  watching.abort();

  expect(seen[0]).toMatchObject({ event: 'accepted', data: { id: 'second', turn_id: first.id } });
  expect(seen[0]?.data.seq).toBeUndefined();
  const joined = seen.find(({ event }) => event === 'steering');
  expect(joined?.data).toMatchObject({ phase: 'joined', id: 'second', seq: 3 });
  expect(seen.at(-1)).toMatchObject({ event: 'done', data: { turn_id: first.id } });
  const { messages } = (await here.request('/api/sessions/desk/messages?segment=all')).body;
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(messages[3]?.content).toContain('one two three four');
  const names = watched.map(({ event }) => event);
  expect(names).toContain('steering');
  expect(watched.filter(({ event }) => event === 'user').map(({ data }) => data.message.id)).toEqual([
    'second',
  ]);
  expect(await collect(first.events)).toContainEqual(expect.objectContaining({ type: 'ended' }));
});
