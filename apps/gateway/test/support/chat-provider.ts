import { text } from 'node:stream/consumers';
import { loopbackServer } from './loopback-server.js';

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** Words, a call, or an HTTP status with its words. */
export type ChatAnswer =
  | string
  | { readonly call: string; readonly input: unknown }
  | { readonly status: number; readonly message: string };

/** Stands where an OpenAI-compatible API would. Every answer takes 100 tokens in and 10 out. */
export async function chatProvider(answer: (request: ChatRequest) => ChatAnswer) {
  const asked: ChatRequest[] = [];
  const { url: origin } = await loopbackServer(async (request, response) => {
    const parsed = JSON.parse(await text(request)) as ChatRequest;
    asked.push(parsed);
    const said = answer(parsed);
    if (typeof said === 'object' && 'status' in said) {
      response.writeHead(said.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: said.message, type: 'error' } }));
      return;
    }
    const delta =
      typeof said === 'string'
        ? { role: 'assistant', content: said }
        : {
            role: 'assistant',
            tool_calls: [
              {
                index: 0,
                id: 'c',
                type: 'function',
                function: { name: said.call, arguments: JSON.stringify(said.input) },
              },
            ],
          };
    const reason = typeof said === 'string' ? 'stop' : 'tool_calls';
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: parsed.model };
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of [
      { ...chunk, choices: [{ index: 0, delta }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: reason }] },
      { ...chunk, choices: [], usage },
    ]) {
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    }
    response.end('data: [DONE]\n\n');
  });
  const url = `${origin}/v1`;
  return { asked, url, providers: { 'openai-compatible': { base_url: url } } };
}
