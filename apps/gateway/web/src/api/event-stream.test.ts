import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readEvents } from './event-stream.js';

const text =
  ': ping\n\nid: 7\nevent: token\ndata: {"text":"Grüße 👋"}\n\nevent:done\r\ndata: {"reply":\r\ndata: "a\\nb"}\r\n\r\nevent: cut\ndata: {"off":';

test('events come whole, however the bytes are cut', async () => {
  const bytes = new TextEncoder().encode(text);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
      const places = [0, ...cuts.sort((one, other) => one - other), bytes.length];
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const [at, place] of places.entries()) {
            const next = places[at + 1];
            if (next !== undefined && next > place) controller.enqueue(bytes.slice(place, next));
          }
          controller.close();
        },
      });
      const events: unknown[] = [];
      for await (const event of readEvents(body)) events.push(event);
      expect(events).toEqual([
        { event: 'ping' },
        { event: 'token', text: 'Grüße 👋' },
        { event: 'done', reply: 'a\nb' },
      ]);
    }),
  );
});
