import { EventSourceParserStream } from 'eventsource-parser/stream';
import { z } from 'zod';
import { RunError } from '../run-error.js';
import { type Conversation, type Ending, subTurnNote } from './conversation.js';

const acceptedSchema = z.object({ session_key: z.string() });
const tokenSchema = z.object({ text: z.string() });
const toolSchema = z.object({ name: z.string(), phase: z.string() });
const subTurnSchema = z.object({
  phase: z.string(),
  task: z.string().optional(),
  status: z.string().optional(),
});
const phaseSchema = z.object({ phase: z.string() });
const doneSchema = z.object({ reply: z.string() });
const failureSchema = z.object({ message: z.string() });
const problemSchema = z.object({ error: failureSchema });

/** A conversation with a gateway that runs in another process, over its HTTP interface. */
export function speakToGateway(
  url: string,
  token: string | undefined,
  session: string | undefined,
): Conversation {
  let runningKey: string | undefined;

  async function post(path: string, body?: unknown): Promise<Response> {
    const answer = await fetch(new URL(path, url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(() => {
      throw new RunError(`The gateway at ${url} does not answer any more.`);
    });
    if (answer.ok) return answer;
    const problem = problemSchema.safeParse(await answer.json().catch(() => undefined));
    throw new RunError(problem.data?.error.message ?? `The gateway at ${url} answered ${answer.status}.`);
  }

  return {
    async say(text, listener) {
      const id = crypto.randomUUID();
      const answer = await post('/api/chat', {
        text,
        channel: 'cli',
        id,
        ...(session === undefined ? {} : { session }),
      });
      let ending: Ending | undefined;
      const events = answer.body
        ?.pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream());
      try {
        for await (const { event, data } of events ?? []) {
          const payload: unknown = JSON.parse(data);
          if (event === 'accepted') runningKey = acceptedSchema.parse(payload).session_key;
          if (event === 'token') listener.token(tokenSchema.parse(payload).text);
          if (event === 'tool') {
            const { name, phase } = toolSchema.parse(payload);
            listener.tool(name, phase);
          }
          if (event === 'sub_turn') listener.note(subTurnNote(subTurnSchema.parse(payload)));
          if (event === 'steering') listener.note(`message ${phaseSchema.parse(payload).phase}`);
          if (event === 'summary') listener.note(`summary ${phaseSchema.parse(payload).phase}`);
          if (event === 'done') ending = doneSchema.parse(payload);
          if (event === 'error') ending = { reply: '', failure: failureSchema.parse(payload).message };
        }
      } catch (error) {
        if (error instanceof z.ZodError || error instanceof SyntaxError) throw error;
      } finally {
        runningKey = undefined;
      }
      return (
        ending ?? {
          reply: '',
          failure: 'The connection to the gateway was lost before the answer was complete.',
        }
      );
    },
    stop() {
      if (runningKey === undefined) return;
      // The turn's own stream says how it ended.
      post(`/api/sessions/${encodeURIComponent(runningKey)}/stop`).catch(() => {});
    },
    async close() {},
  };
}
