import type { Configuration } from '../configuration/configuration.js';
import { dataLayout } from '../configuration/data-layout.js';
import type { Environment } from '../configuration/environment.js';
import { findRunningGateway } from '../gateway-address.js';

/** What a terminal shows of an answer while it comes. */
export interface Listener {
  token(text: string): void;
  tool(name: string, phase: 'start' | 'end' | 'failed'): void;
}

export interface Ending {
  readonly reply: string;
  /** Where it did not end well: a sentence. */
  readonly failure?: string;
}

/** One session spoken to from here, wherever its gateway runs. */
export interface Conversation {
  say(text: string, listener: Listener): Promise<Ending>;
  /** Ends the answer that is coming. */
  stop(): void;
  close(): Promise<void>;
}

/** Speaks to the gateway that runs on the data folder; where none does, this process is the gateway. */
export async function openConversation(
  configuration: Configuration,
  environment: Environment,
  session: string | undefined,
): Promise<Conversation> {
  const running = await findRunningGateway(dataLayout(configuration).address);
  if (running !== undefined) {
    const { speakToGateway } = await import('./remote-conversation.js');
    return speakToGateway(running.url, configuration.gateway.token, session);
  }
  const { speakHere } = await import('./embedded-conversation.js');
  return speakHere(configuration, environment, session);
}
