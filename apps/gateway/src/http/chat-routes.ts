import type { Turn } from '@x/agent-runtime';
import { inboundContextSchema } from '@x/session-scope';
import type { Context } from 'hono';
import { z } from 'zod';
import { receive } from '../receive.js';
import { keyAsked } from '../session-place.js';
import { viewMessage } from '../session-view.js';
import { surfaceContext } from '../surface-context.js';
import { viewSteeringEvent, viewSubTurnEvent, viewSummaryEvent, viewToolEvent } from '../turn-views.js';
import { openEventStream } from './event-stream.js';
import { problemResponse } from './problem.js';
import { defineRoute, type Route } from './route.js';
import { turnFailure } from './turn-failure.js';

const text = z.string().max(1_000_000);
const media = z.array(z.string().max(1_000_000)).max(100).optional();
const id = z.string().min(1).max(1024).optional();

const chatBody = z.object({
  text: text.describe('What the person says. May be empty where media is given.'),
  session: z
    .string()
    .max(1024)
    .optional()
    .describe('A key, an alias, or a name; a new name makes a session of its own.'),
  agent: z.string().min(1).max(64).optional().describe('Who answers, where the session is new.'),
  channel: z.enum(['web', 'cli']).default('web').describe('The surface that speaks.'),
  id: id.describe('Makes a retry safe: the same id in the same session is answered once.'),
  media,
});

const inboundBody = z.object({
  context: inboundContextSchema,
  text,
  media,
  session_key: z
    .string()
    .max(1024)
    .optional()
    .describe('An explicit key (sk_v1_… or agent:…); other words are ignored.'),
  id,
});

const answer =
  'A stream of events: accepted (without a seq where the message waits to join a running turn), token, tool, steering, sub_turn, summary, message, and done or error as the last. With Accept: application/json one object {session_key, reply, messages}.';
const answerTypes = ['text/event-stream', 'application/json'];
const turnErrors = [
  'model_failed',
  'model_timeout',
  'store_failed',
  'store_full',
  'queue_full',
  'shutting_down',
];

export const chatRoutes: readonly Route[] = [
  defineRoute({
    method: 'post',
    path: '/api/chat',
    needs: 'chat',
    summary: 'Says something in a session and streams the answer',
    body: chatBody,
    answer,
    answerTypes,
    errors: [...turnErrors, 'invalid_session', 'unknown_agent', 'agent_mismatch'],
    async handle({ gateway, body, context }) {
      const turn = await receive(gateway, {
        context: surfaceContext(body.channel),
        text: body.text,
        media: body.media,
        id: body.id,
        session: body.session,
        agent: body.agent,
      });
      return answerWith(turn, context);
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/inbound',
    needs: 'chat',
    summary: 'Takes a message of any channel, as its webhook would hand it over',
    body: inboundBody,
    answer,
    answerTypes,
    errors: turnErrors,
    async handle({ gateway, body, context }) {
      const turn = await receive(gateway, {
        context: body.context,
        text: body.text,
        media: body.media,
        id: body.id,
        session: body.session_key === undefined ? undefined : keyAsked(body.session_key),
      });
      return answerWith(turn, context);
    },
  }),
];

function answerWith(turn: Turn, context: Context): Promise<Response> | Response {
  const accepted = context.req.header('accept') ?? '';
  const wantsObject = accepted.includes('application/json') && !accepted.includes('text/event-stream');
  return wantsObject ? answerAsObject(turn) : answerAsStream(turn);
}

async function answerAsObject(turn: Turn): Promise<Response> {
  const outcome = await turn.outcome;
  const result = {
    session_key: turn.sessionKey,
    reply: outcome.reply,
    messages: outcome.messages.map(viewMessage),
  };
  const failure = await turnFailure(turn, outcome);
  return failure === undefined ? Response.json(result) : problemResponse(failure, result);
}

/** A reader that goes away does not end the turn. */
function answerAsStream(turn: Turn): Response {
  const stream = openEventStream();
  void relay();
  return stream.response;

  async function relay(): Promise<void> {
    const { id: turnId, sessionKey } = turn;
    for await (const event of turn.events) {
      let isRead = true;
      if (event.type === 'accepted') {
        const { seq, id } = event.message;
        isRead = stream.send('accepted', { session_key: sessionKey, seq, id, turn_id: turnId });
      } else if (event.type === 'token') isRead = stream.send('token', { text: event.text });
      else if (event.type === 'tool') isRead = stream.send('tool', viewToolEvent(event));
      else if (event.type === 'summary') isRead = stream.send('summary', viewSummaryEvent(event));
      else if (event.type === 'sub_turn') {
        const view = viewSubTurnEvent(event);
        isRead = view === undefined || stream.send('sub_turn', view);
      } else if (event.type === 'steering') {
        const view = { session_key: sessionKey, turn_id: turnId, ...viewSteeringEvent(event) };
        // Its own message is safe: that is what whoever sent it waits to hear.
        if (event.phase === 'waiting' && event.message.id === turn.inputId) {
          const { phase: _waiting, ...accepted } = view;
          isRead = stream.send('accepted', accepted);
        } else isRead = stream.send('steering', view);
      } else if (event.type === 'message')
        isRead = stream.send('message', { message: viewMessage(event.message) });
      else if (event.type === 'ended') {
        const { outcome } = event;
        const failure = await turnFailure(turn, outcome);
        if (failure !== undefined) {
          const { code, message } = failure;
          stream.send('error', { code, message });
        } else {
          const { status, reply } = outcome;
          stream.send('done', { session_key: sessionKey, turn_id: turnId, status, reply });
        }
      }
      if (!isRead) return;
    }
    stream.close();
  }
}
