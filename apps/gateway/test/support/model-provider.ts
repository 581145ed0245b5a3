import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { loopbackServer } from './loopback-server.js';

export interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Stands where a provider's API would, and writes down what it is asked. */
export async function provider(answer: (response: ServerResponse) => void) {
  const asked: Asked[] = [];
  const { url } = await loopbackServer(async (request, response) => {
    asked.push({ path: request.url ?? '', headers: request.headers, body: await text(request) });
    answer(response);
  });
  return { asked, url: `${url}/v1` };
}

/** The answer of a provider, as its stream of events. */
export function events(...payloads: readonly unknown[]) {
  return (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const payload of payloads) {
      const { type } = payload as { type?: string };
      response.write(`${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(payload)}\n\n`);
    }
    response.end();
  };
}

/** `From afar.`, in the protocol of chat completions. */
export const openai = events(
  {
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: { role: 'assistant', content: 'From ' } }],
  },
  {
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: { content: 'afar.' } }],
  },
  {
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
  },
);
