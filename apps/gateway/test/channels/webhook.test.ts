import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf, problemOf } from '../support/client.js';
import { holdfast, startProgram } from '../support/program.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { type FakeAnswer, type FakeRequest, fakeHttp } from './fake-http.js';

const SECRET = 'a shared secret';

async function stage(channel: object = {}) {
  const folder = temporaryFolder();
  const heard: FakeRequest[] = [];
  const troubles: FakeAnswer[] = [];
  const receiver = await fakeHttp((request) => {
    heard.push(request);
    return troubles.shift() ?? { json: { id: heard.length } };
  });
  const settings = { kind: 'webhook', secret_env: 'HOOK', url: receiver.url, ...channel };
  writeFileSync(join(folder, 'holdfast.config.json'), JSON.stringify({ channels: { hook: settings } }));
  const gateway = await startProgram(folder, { HOOK: SECRET });
  onTestFinished(async () => void (await gateway.end('SIGKILL')));
  const post = (body: object, options: { secret?: string; at?: number } = {}) => {
    const text = JSON.stringify(body);
    const seconds = Math.floor((options.at ?? Date.now()) / 1000);
    const digest = createHmac('sha256', options.secret ?? SECRET)
      .update(`${seconds}.${text}`)
      .digest('hex');
    return fetch(`${gateway.url}/channels/hook`, {
      method: 'POST',
      headers: { 'x-holdfast-timestamp': String(seconds), 'x-holdfast-signature': `v1=${digest}` },
      body: text,
    });
  };
  const texts = () => heard.map(({ fields }) => String(fields.text).split('\n')[0]);
  return { folder, gateway, heard, troubles, post, texts };
}

const from = (chat: string, id: string, text: string) => ({ id, text, context: { chat_id: chat } });
const patient = { timeout: 20_000 };

test('a signed message is acknowledged at once, and answered once by a signed request', async () => {
  const { post, heard, texts } = await stage();
  const answer = await post(from('a', '1', 'hello'));
  expect([answer.status, await answer.json()]).toEqual([202, { accepted: true }]);
  expect((await post(from('a', '1', 'hello'))).status).toBe(202);
  expect((await post(from('a', '2', 'hello'))).status).toBe(202);
  await expect.poll(texts, patient).toEqual(['You said: hello', 'You said: hello']);
  const [first] = heard;
  const { 'x-holdfast-timestamp': seconds, 'x-holdfast-signature': signature } = first?.headers ?? {};
  const digest = createHmac('sha256', SECRET).update(`${seconds}.${first?.body}`).digest('hex');
  expect(signature).toBe(`v1=${digest}`);
  expect(first?.fields).toMatchObject({ chat_id: 'a', reply_to_message_id: '1' });
});

test('forged, old and broken requests are refused, and the log holds no secret', async () => {
  const { post, gateway } = await stage();
  const forged = await post(from('a', '1', 'x'), { secret: 'guess' });
  expect([forged.status, (await problemOf(forged)).code]).toEqual([401, 'signature_invalid']);
  const replayed = await post(from('a', '1', 'x'), { at: Date.now() - 10 * 60_000 });
  expect([replayed.status, (await problemOf(replayed)).code]).toEqual([401, 'signature_expired']);
  const wrong = await post({ text: 7 });
  expect([wrong.status, (await problemOf(wrong)).code]).toEqual([400, 'invalid_request']);
  const nowhere = await fetch(`${gateway.url}/channels/other`, { method: 'POST', body: '{}' });
  expect(nowhere.status).toBe(404);
  expect(gateway.errors()).not.toContain(SECRET);
});

test('a receiver that is away, limits or breaks off hears each answer once, in order', async () => {
  const { post, troubles, heard, texts } = await stage();
  troubles.push({ status: 429, headers: { 'retry-after': '1' } }, { cut: true }, { status: 503 });
  await post(from('a', '1', 'one'));
  await post(from('a', '2', 'two'));
  await expect.poll(() => texts().at(-1), patient).toBe('You said: two');
  expect(texts()).toEqual([...Array(4).fill('You said: one'), 'You said: two']);
  // The same key each time: the receiver can tell.
  expect(new Set(heard.slice(0, 4).map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
});

test('what cannot be answered is set aside with its reason, shown, and replayed or dropped', async () => {
  const { folder, post, texts, troubles, gateway } = await stage();
  troubles.push({ status: 400 }, { status: 400 });
  await post(from('a', '1', 'refused'));
  await post(from('a', '2', 'too'));
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await holdfast(folder, args, { environment: { HOOK: SECRET } });
    return {
      code,
      stderr,
      json: stdout.startsWith('[') || stdout.startsWith('{') ? JSON.parse(stdout) : stdout,
    };
  };
  const aside = async () => (await run('deliveries', 'list', '--state', 'aside', '--json')).json;
  await expect.poll(async () => (await aside()).length, patient).toBe(2);
  const [second, first] = await aside();
  expect(first).toMatchObject({ queue: 'outbox', channel: 'hook', reason: expect.stringContaining('400') });
  const shown = await run('deliveries', 'show', String(first.id));
  expect(shown.json.delivery.payload.text).toContain('You said: refused');
  expect((await run('deliveries', 'replay', String(first.id))).code).toBe(0);
  await expect.poll(() => texts().length, patient).toBe(3);
  expect((await run('deliveries', 'drop', String(second.id))).code).toBe(0);
  expect(await run('deliveries', 'drop', '9999')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('9999'),
  });
  const client = clientOf(gateway.url);
  const listed = (await client.get('/api/deliveries?queue=outbox')) as unknown as {
    deliveries: { state: string }[];
  };
  expect(listed.deliveries.map(({ state }) => state)).toEqual(['dropped', 'done']);
  expect((await client.request('POST', `/api/deliveries/${second.id}/replay`)).status).toBe(200);
  await expect.poll(() => texts().length, patient).toBe(4);
});

test('a stranger gets one code, is let in by it, and is heard from then on', async () => {
  const { folder, post, texts, heard } = await stage({ direct: 'pairing' });
  await post(from('a', '1', 'hi'));
  await post(from('a', '2', 'hi?'));
  await expect.poll(() => texts().length, patient).toBe(1);
  const code = /`([A-Z0-9]{8})`/.exec(String(heard[0]?.fields.text))?.[1] ?? '';
  const environment = { HOOK: SECRET };
  const approved = await holdfast(folder, ['pairing', 'approve', code.toLowerCase()], { environment });
  expect(approved).toMatchObject({ code: 0, stderr: 'a on hook may talk now.\n' });
  expect((await holdfast(folder, ['pairing', 'approve', code], { environment })).code).toBe(1);
  await post(from('a', '3', 'hello'));
  await expect.poll(() => texts().at(-1), patient).toBe('You said: hello');
  expect(texts()).toHaveLength(2);
  const listed = await holdfast(folder, ['pairing', 'list', '--json'], { environment });
  expect(JSON.parse(listed.stdout)).toMatchObject([{ channel: 'hook', sender_id: 'a', state: 'approved' }]);
});
