/** An open `text/event-stream` answer. */
export interface EventStream {
  readonly response: Response;
  /** False once nobody reads any more, or the reader is so far behind that it was let go. */
  send(event: string, payload: unknown): boolean;
  /** What was sent is still delivered. */
  close(): void;
  /** Runs when the stream is over, whoever ended it. At once where it is over already. */
  onEnd(listener: () => void): void;
}

const PING_MS = 15_000;
/** A reader this far behind has gone to sleep; it comes back and asks for what it missed. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

export function openEventStream(): EventStream {
  const encoder = new TextEncoder();
  const listeners: (() => void)[] = [];
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  const body = new ReadableStream<Uint8Array>(
    {
      start(opened) {
        controller = opened;
      },
      cancel: () => end(),
    },
    { highWaterMark: MAX_WAITING_BYTES, size: (chunk) => chunk.byteLength },
  );
  const ping = setInterval(() => write(': ping\n\n'), PING_MS);

  function end(): void {
    if (controller === undefined) return;
    controller = undefined;
    clearInterval(ping);
    for (const listener of listeners) listener();
  }
  function write(text: string): boolean {
    if (controller === undefined) return false;
    if ((controller.desiredSize ?? 0) <= 0) {
      controller.error(new Error('The reader fell behind.'));
      end();
      return false;
    }
    controller.enqueue(encoder.encode(text));
    return true;
  }

  // Something at once, so that the headers leave and a proxy opens the stream.
  write(': open\n\n');
  return {
    response: new Response(body, {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
      },
    }),
    send: (event, payload) => write(`event: ${event}\ndata: ${JSON.stringify(payload)}\n\n`),
    close() {
      controller?.close();
      end();
    },
    onEnd(listener) {
      if (controller === undefined) listener();
      else listeners.push(listener);
    },
  };
}
