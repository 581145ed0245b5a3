import { createParser } from 'eventsource-parser';

/**
 * Reads server-sent events from a response body: each as its JSON data with `event` set to its name. A comment
 * line comes as `{event: 'ping'}`, so that a reader can tell a quiet line from a dead one.
 * `EventSource` would not do: it sends no Authorization header and hides comments.
 */
export async function* readEvents<E extends { event: string }>(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<E, void, void> {
  const ready: E[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => ready.push({ ...JSON.parse(data), event: event ?? 'message' }),
    onComment: () => ready.push({ event: 'ping' } as E),
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* ready.splice(0);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
