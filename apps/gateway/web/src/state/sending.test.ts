import { expect, test } from 'vitest';
import { ApiError } from '../api/api-error.js';
import type { ChatEvent } from '../api/shapes.js';
import { createOutbox } from './outbox.js';
import { createSending } from './sending.js';

const accepted: ChatEvent = { event: 'accepted', session_key: 'sk', seq: 4, id: 'given', turn_id: 't' };

/** A page whose gateway answers each sending with the next of `answers`; an error breaks the stream off. */
function pageWith(...answers: (ChatEvent | Error)[][]) {
  const sent: { text: string; session: string; id: string }[] = [];
  const heard: string[] = [];
  const outbox = createOutbox({ getItem: () => null, setItem: () => undefined });
  const sending = createSending(
    {
      async *chat(request) {
        sent.push(request);
        for (const answer of answers[sent.length - 1] ?? []) {
          if (answer instanceof Error) throw answer;
          yield answer;
        }
      },
    },
    outbox,
    {
      onAccepted: (outgoing, key, message) => heard.push(`accepted ${outgoing.target} ${key} ${message.seq}`),
      onMessage: (key, message) => heard.push(`message ${key} ${message.seq}`),
      onTurnFailed: (key, sentence) => heard.push(`failed ${key} ${sentence}`),
    },
  );
  return { sending, outbox, sent, heard };
}

test('a message leaves the outbox once the gateway has stored it', async () => {
  const page = pageWith([accepted, { event: 'done', session_key: 'sk', status: 'done' }]);
  await page.sending.send('chat-1', 'hello');
  expect(page.heard).toEqual(['accepted chat-1 sk 4']);
  expect(page.outbox.cell.get()).toEqual([]);
});

test('a message that was not confirmed stays, and is sent again under the same id', async () => {
  const page = pageWith([new ApiError('unreachable', 0, 'No answer.')], [accepted]);
  await page.sending.send('sk', 'hello');
  const [failed] = page.outbox.cell.get();
  expect(failed).toMatchObject({ state: 'failed', error: 'No answer.', text: 'hello' });
  if (failed) await page.sending.retry(failed);
  expect(page.outbox.cell.get()).toEqual([]);
  expect(page.sent[1]).toEqual(page.sent[0]);
});

test('a stream that ends without a word is not a confirmation', async () => {
  const page = pageWith([]);
  await page.sending.send('sk', 'hello');
  expect(page.outbox.cell.get()[0]?.state).toBe('failed');
});

test('a stream that breaks after the confirmation leaves nothing to send again', async () => {
  const page = pageWith([accepted, new Error('reset')]);
  await page.sending.send('sk', 'hello');
  expect(page.outbox.cell.get()).toEqual([]);
});

test('a failed answer is told, and does not unsend the message', async () => {
  const page = pageWith([accepted, { event: 'error', code: 'model_failed', message: 'The model failed.' }]);
  await page.sending.send('sk', 'hello');
  expect(page.heard).toContain('failed sk The model failed.');
  expect(page.outbox.cell.get()).toEqual([]);
});

test('a message that waits to join the running turn is on its way until it has, at its place', async () => {
  const { seq: _none, ...waiting } = accepted as Extract<ChatEvent, { event: 'accepted' | 'steering' }>;
  const outgoing = { id: 'm', target: 'sk', text: 'and this', createdAt: '2026-01-01T00:00:00.000Z' };
  const page = pageWith([
    { ...waiting, event: 'accepted', id: 'm' },
    { ...waiting, event: 'steering', id: 'another', seq: 5 },
    { ...waiting, event: 'steering', id: 'm', seq: 6 },
  ]);
  await page.sending.retry({ ...outgoing, state: 'sending' });
  expect(page.heard).toEqual(['accepted sk sk 6']);
  expect(page.outbox.cell.get()).toEqual([]);
});
