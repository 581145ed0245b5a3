import type { Turn, TurnOutcome } from '@x/agent-runtime';
import { normaliseAgentId } from '@x/session-scope';
import type { Context } from 'hono';
import type { Gateway } from '../gateway.js';
import { receive } from '../receive.js';
import { RequestError } from '../request-error.js';
import { surfaceContext } from '../surface-context.js';
import { completionBody, lastSaid, responseBody, type Said } from './openai-body.js';
import { defineRoute, type Route } from './route.js';
import { turnFailure } from './turn-failure.js';

/** Names the session of a request; before `user`. */
const SESSION_HEADER = 'x-session-id';
/** Makes a retry safe, as `id` does elsewhere. */
const RETRY_HEADER = 'idempotency-key';

const answerTypes = ['application/json', 'text/event-stream'];
const errors = [
  'invalid_request',
  'model_failed',
  'model_timeout',
  'store_failed',
  'queue_full',
  'shutting_down',
];

/** What programs that speak OpenAI's API are given: the same, with a memory. */
export const openaiRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/v1/models',
    summary: 'Lists the agents, as OpenAI lists models',
    answer: '{object: "list", data}',
    handle: async ({ gateway }) =>
      Response.json({
        object: 'list',
        data: gateway.agents.list.map(({ id }) => ({
          id,
          object: 'model',
          created: seconds(gateway.startedAt),
          owned_by: 'holdfast',
        })),
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/v1/chat/completions',
    needs: 'chat',
    summary: 'OpenAI’s chat completions, in a session',
    body: completionBody,
    answer: 'As OpenAI answers, streamed where asked for.',
    answerTypes,
    errors,
    async handle({ gateway, body, context }) {
      const turn = await begin(gateway, context, lastSaid(body.messages), body.user, body.model);
      const id = `chatcmpl-${turn.id}`;
      const head = { id, created: seconds(new Date()), model: body.model ?? 'holdfast' };
      if (body.stream !== true) {
        const outcome = await wellEnded(turn);
        return Response.json({
          ...head,
          object: 'chat.completion',
          choices: [
            {
              index: 0,
              message: { role: 'assistant', content: outcome.reply, refusal: null },
              logprobs: null,
              finish_reason: 'stop',
            },
          ],
          usage: usageOf(outcome),
        });
      }
      const chunk = (delta: object, finish: string | null, more: object = {}) => ({
        ...head,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
        ...more,
      });
      return streamOf(async function* () {
        yield chunk({ role: 'assistant', content: '' }, null);
        for await (const event of turn.events) {
          if (event.type === 'token') yield chunk({ content: event.text }, null);
        }
        const outcome = await turn.outcome;
        const failure = await turnFailure(turn, outcome);
        if (failure !== undefined) yield { error: openaiError(failure) };
        else {
          yield chunk({}, 'stop');
          if (body.stream_options?.include_usage === true) {
            yield { ...chunk({}, null), choices: [], usage: usageOf(outcome) };
          }
        }
        yield '[DONE]';
      });
    },
  }),
  defineRoute({
    method: 'post',
    path: '/v1/responses',
    needs: 'chat',
    summary: 'OpenAI’s responses, in a session',
    body: responseBody,
    answer: 'As OpenAI answers, streamed where asked for.',
    answerTypes,
    errors,
    async handle({ gateway, body, context }) {
      const said = typeof body.input === 'string' ? { text: body.input, media: [] } : lastSaid(body.input);
      const turn = await begin(gateway, context, said, body.user, body.model);
      const response = responseOf(turn, body.model ?? 'holdfast');
      if (body.stream !== true) return Response.json(response.done(await wellEnded(turn)));
      return streamOf(async function* () {
        let number = 0;
        const event = (type: string, more: object) => ({ type, sequence_number: number++, ...more });
        const place = { item_id: response.itemId, output_index: 0, content_index: 0 };
        yield event('response.created', { response: response.begun });
        yield event('response.output_item.added', {
          output_index: 0,
          item: response.item('in_progress', ''),
        });
        yield event('response.content_part.added', { ...place, part: textPart('') });
        for await (const each of turn.events) {
          if (each.type === 'token') {
            yield event('response.output_text.delta', { ...place, delta: each.text, logprobs: [] });
          }
        }
        const outcome = await turn.outcome;
        const failure = await turnFailure(turn, outcome);
        if (failure !== undefined) {
          yield event('response.failed', {
            response: { ...response.begun, status: 'failed', error: openaiError(failure) },
          });
          return;
        }
        const item = response.item('completed', outcome.reply);
        yield event('response.output_text.done', { ...place, text: outcome.reply, logprobs: [] });
        yield event('response.content_part.done', { ...place, part: textPart(outcome.reply) });
        yield event('response.output_item.done', { output_index: 0, item });
        yield event('response.completed', { response: response.done(outcome) });
      }, true);
    },
  }),
];

function begin(
  gateway: Gateway,
  context: Context,
  said: Said | undefined,
  user: string | null | undefined,
  model: string | undefined,
): Promise<Turn> {
  if (said === undefined) {
    throw new RequestError(400, 'invalid_request', 'There is no message of the user in it.');
  }
  const asked = model === undefined ? undefined : normaliseAgentId(model);
  return receive(gateway, {
    context: surfaceContext('web'),
    ...said,
    session: context.req.header(SESSION_HEADER) ?? (user === null || user === '' ? undefined : user),
    id: context.req.header(RETRY_HEADER),
    // Clients name the model that they were made for: only the name of an agent is a wish.
    agent: asked !== undefined && gateway.agents.has(asked) ? asked : undefined,
  });
}

async function wellEnded(turn: Turn): Promise<TurnOutcome> {
  const outcome = await turn.outcome;
  const failure = await turnFailure(turn, outcome);
  if (failure !== undefined) throw failure;
  return outcome;
}

function responseOf(turn: Turn, model: string) {
  const itemId = `msg_${turn.id}`;
  const begun = {
    id: `resp_${turn.id}`,
    object: 'response',
    created_at: seconds(new Date()),
    status: 'in_progress',
    model,
    output: [],
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: false,
    tool_choice: 'auto',
    tools: [],
  };
  const item = (status: string, text: string) => ({
    id: itemId,
    type: 'message',
    role: 'assistant',
    status,
    content: text === '' ? [] : [textPart(text)],
  });
  return {
    itemId,
    begun,
    item,
    done: (outcome: TurnOutcome) => {
      const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = usageOf(outcome);
      return {
        ...begun,
        status: 'completed',
        output: [item('completed', outcome.reply)],
        output_text: outcome.reply,
        usage: { input_tokens: input, output_tokens: output, total_tokens: total },
      };
    },
  };
}

/** One event for each value; `named` puts its `type` before it, as the responses API does. */
function streamOf(values: () => AsyncGenerator<unknown>, named = false): Response {
  const encoder = new TextEncoder();
  const iterator = values();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done === true) {
        controller.close();
        return;
      }
      const { value } = next;
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      const name = named ? `event: ${(value as { readonly type: string }).type}\n` : '';
      controller.enqueue(encoder.encode(`${name}data: ${text}\n\n`));
    },
    async cancel() {
      await iterator.return(undefined);
    },
  });
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
  });
}

function usageOf({ usage }: TurnOutcome) {
  const { inputTokens = 0, outputTokens = 0, totalTokens = inputTokens + outputTokens } = usage ?? {};
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: totalTokens };
}

function openaiError({ code, message, status }: RequestError) {
  return { message, code, type: status >= 500 ? 'server_error' : 'invalid_request_error', param: null };
}

function textPart(text: string) {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
