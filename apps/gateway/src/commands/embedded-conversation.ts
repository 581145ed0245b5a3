import type { Turn } from '@x/agent-runtime';
import type { Configuration } from '../configuration/configuration.js';
import { type Environment, environmentValue } from '../configuration/environment.js';
import { openGateway } from '../gateway.js';
import { createLog } from '../log.js';
import { receive } from '../receive.js';
import { surfaceContext } from '../surface-context.js';
import { type Conversation, subTurnNote } from './conversation.js';

/** A conversation with a gateway inside this process. */
export async function speakHere(
  configuration: Configuration,
  environment: Environment,
  session: string | undefined,
): Promise<Conversation> {
  const log = createLog(
    environmentValue(environment, 'HOLDFAST_LOG') ?? 'error',
    process.stderr.isTTY === true,
  );
  const gateway = await openGateway(configuration, environment, log);
  let turn: Turn | undefined;
  return {
    async say(text, listener) {
      turn = await receive(gateway, { context: surfaceContext('cli'), text, session });
      for await (const event of turn.events) {
        if (event.type === 'token') listener.token(event.text);
        if (event.type === 'tool') listener.tool(event.name, event.phase);
        if (event.type === 'sub_turn' && event.phase !== 'event') listener.note(subTurnNote(event));
        if (event.type === 'steering') listener.note(`message ${event.phase}`);
        if (event.type === 'summary') listener.note(`summary ${event.phase}`);
      }
      const { reply, error } = await turn.outcome;
      return { reply, ...(error === undefined ? {} : { failure: error.message }) };
    },
    stop: () => void turn?.stop('Stopped by the person.'),
    close: () => gateway.close({ graceMs: 0 }),
  };
}
