import { describe, expect, it } from 'vitest';
import { receive } from '../src/receive.js';
import { surfaceContext } from '../src/surface-context.js';
import { gatewayHere } from './support/gateway-here.js';

const HOUR = 3_600_000;
const idle = { session: { reset: { mode: 'idle', idle_minutes: 60 } } };
const asked = 'what did I say?';

describe.each(['jsonl', 'sqlite'])('over %s', (store) => {
  it('a conversation begins anew after its silence, and what was said before is still there', async () => {
    const here = await gatewayHere({ ...idle, store });
    const { key } = await here.say('plan the trip');
    here.aheadMs = 0.9 * HOUR;
    expect((await here.say(asked)).reply).toContain('plan the trip');
    here.aheadMs = 2 * HOUR;
    // Nothing happens by itself, but it can be seen coming.
    expect((await here.request(`/api/sessions/${key}`)).body.session).toMatchObject({ stale: 'idle' });
    expect((await here.say('/status')).reply).toContain('Begins anew: with your next message');
    expect((await here.say(asked)).reply).toContain('Nothing yet');
    // The store goes by the machine's clock.
    here.aheadMs = 0;
    expect((await here.request(`/api/sessions/${key}`)).body.session).toMatchObject({ stale: null });
    const meta = await here.gateway.backend.meta(key);
    expect(meta?.segments).toMatchObject([{ reason: 'idle' }]);
    const all = await here.gateway.backend.read(key, { segment: 'all' });
    expect(all.map(({ content }) => content)).toContain('plan the trip');
  });

  it('what comes in together is judged once', async () => {
    const here = await gatewayHere({ ...idle, store });
    const { key } = await here.say('yesterday');
    here.aheadMs = 2 * HOUR;
    await Promise.all(['one', 'two', 'three'].map((text) => here.say(text)));
    expect((await here.gateway.backend.meta(key))?.segments).toHaveLength(1);
    const said = (await here.active(key)).filter((line) => line.startsWith('user'));
    expect(said).toEqual(['user: one', 'user: two', 'user: three']);
  });
});

it('a job neither resets nor puts a reset off', async () => {
  const here = await gatewayHere(idle);
  const { key } = await here.say('before');
  here.aheadMs = 2 * HOUR;
  await here.say('tick', { meta: { origin: 'schedule' } });
  expect((await here.gateway.backend.meta(key))?.segments).toEqual([]);
  await here.say('good evening');
  expect((await here.gateway.backend.meta(key))?.segments).toMatchObject([{ reason: 'idle' }]);
});

it('never in the middle of a turn', async () => {
  const here = await gatewayHere(idle);
  const turn = await receive(here.gateway, { context: surfaceContext('cli'), text: '/slow 30 words' });
  await turn.accepted;
  here.aheadMs = 2 * HOUR;
  const joined = receive(here.gateway, { context: surfaceContext('cli'), text: 'and more' });
  turn.stop('The test has seen enough.');
  await (await joined).outcome;
  expect((await here.gateway.backend.meta(turn.sessionKey))?.segments).toEqual([]);
});

it('a message that is sent again is answered in the conversation that it was said in', async () => {
  const here = await gatewayHere(idle);
  const { key } = await here.say('before');
  // Stored, but not answered when the process died.
  await here.gateway.backend.append(key, [{ id: 'm1', role: 'user', content: 'and now?' }]);
  here.aheadMs = 2 * HOUR;
  expect((await here.say('and now?', { id: 'm1' })).reply).toContain('You said: and now?');
  expect((await here.gateway.backend.meta(key))?.segments).toEqual([]);
});

it('carries the last messages over, where it is told to', async () => {
  const here = await gatewayHere({
    session: { reset: { mode: 'idle', idle_minutes: 60, carry: { last_messages: 2 } } },
  });
  await here.say('save the plan');
  await here.say('second');
  here.aheadMs = 2 * HOUR;
  const { reply } = await here.say(asked);
  expect(reply).toContain('second');
  expect(reply).not.toContain('save the plan');
});

it('an older history that is moved in is judged before the first message, not after it', async () => {
  const here = await gatewayHere(idle);
  const { backend } = here.gateway;
  const old = 'agent:main:telegram:direct:77';
  await backend.ensure(old);
  await backend.append(old, [{ role: 'user', content: 'long ago' }]);
  here.aheadMs = 2 * HOUR;
  const context = { channel: 'telegram', chatType: 'direct', chatId: '77', senderId: '77' };
  const { key, reply } = await here.say(asked, { context });
  expect(reply).toContain('Nothing yet');
  expect(key).not.toBe(old);
  const meta = await backend.meta(key);
  expect(meta?.segments).toMatchObject([{ reason: 'idle', lastSeq: 1 }]);
  expect((await backend.read(key, { segment: 'all' }))[0]?.content).toBe('long ago');
});

it('by its kind and channel', async () => {
  const here = await gatewayHere({
    session: {
      reset: { mode: 'none' },
      reset_by_type: { group: { idle_minutes: 60 } },
      reset_by_channel: { irc: { mode: 'none' } },
    },
  });
  const talk = async (context: { channel: string; chatType: string }) => {
    here.aheadMs = 0;
    const place = { context: { ...context, chatId: 'c', senderId: 'ann' } };
    await here.say('hello', place);
    here.aheadMs = 2 * HOUR;
    return (await here.say(asked, place)).reply;
  };
  expect(await talk({ channel: 'slack', chatType: 'group' })).toContain('Nothing yet');
  expect(await talk({ channel: 'slack', chatType: 'direct' })).toContain('hello');
  expect(await talk({ channel: 'irc', chatType: 'group' })).toContain('hello');
});
