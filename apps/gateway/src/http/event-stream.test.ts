import { expect, test } from 'vitest';
import { openEventStream } from './event-stream.js';

test('events arrive as they are written, and the end ends the stream', async () => {
  const stream = openEventStream();
  stream.send('token', { text: 'a\nb' });
  stream.close();
  expect(stream.send('token', { text: 'late' })).toBe(false);
  expect(await stream.response.text()).toBe(': open\n\nevent: token\ndata: {"text":"a\\nb"}\n\n');
});

test('a reader that goes away is noticed', async () => {
  const stream = openEventStream();
  let hasEnded = false;
  stream.onEnd(() => {
    hasEnded = true;
  });
  await stream.response.body?.cancel();
  expect(hasEnded).toBe(true);
  expect(stream.send('token', {})).toBe(false);
});

test('a reader that sleeps is let go before it costs much memory', () => {
  const stream = openEventStream();
  const megabyte = 'x'.repeat(1024 * 1024);
  const sent = Array.from({ length: 10 }, () => stream.send('token', { text: megabyte }));
  expect(sent[0]).toBe(true);
  expect(sent.at(-1)).toBe(false);
  let hasEnded = false;
  stream.onEnd(() => {
    hasEnded = true;
  });
  expect(hasEnded).toBe(true);
});
