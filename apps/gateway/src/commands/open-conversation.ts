import { ownToken } from '../configuration/access-tokens.js';
import type { Configuration } from '../configuration/configuration.js';
import { dataLayout } from '../configuration/data-layout.js';
import type { Environment } from '../configuration/environment.js';
import { findRunningGateway } from '../gateway-address.js';
import type { Conversation } from './conversation.js';

/** Speaks to the gateway that runs on the data folder; where none does, this process is the gateway. */
export async function openConversation(
  configuration: Configuration,
  environment: Environment,
  session: string | undefined,
): Promise<Conversation> {
  const running = await findRunningGateway(dataLayout(configuration).address);
  if (running !== undefined) {
    const { speakToGateway } = await import('./remote-conversation.js');
    return speakToGateway(running.url, ownToken(configuration.gateway.tokens), session);
  }
  const { speakHere } = await import('./embedded-conversation.js');
  return speakHere(configuration, environment, session);
}
