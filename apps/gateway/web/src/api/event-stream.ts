/**
 * Reads server-sent events from a response body: each as its JSON data with `event` set to its name. A comment
 * line comes as `{event: 'ping'}`, so that a reader can tell a quiet line from a dead one.
 * `EventSource` would not do: it sends no Authorization header and hides comments. What else the format knows,
 * ids and retry times, this gateway does not write.
 */
export async function* readEvents<E extends { event: string }>(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<E, void, void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  let event = 'message';
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const ended of lines) {
        const line = ended.replace(/\r$/, '');
        const [, field, content = ''] = /^(\w*)(?:: ?(.*))?$/.exec(line) ?? [];
        if (line === '') {
          if (data.length > 0) yield { ...JSON.parse(data.join('\n')), event };
          event = 'message';
          data = [];
        } else if (field === 'event') event = content;
        else if (field === 'data') data.push(content);
        else if (field === '') yield { event: 'ping' } as E;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
