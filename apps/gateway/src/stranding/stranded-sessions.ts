import { createRouter } from '@x/routing';
import type { SessionBackend } from '@x/session-store';
import type { Configuration } from '../configuration/configuration.js';
import { type Stranding, strandingOf } from './stranded-session.js';

/** A session that the configuration does not lead to any more, as the command line shows it. */
export interface StrandedView extends Stranding {
  readonly session: string;
  readonly title: string | null;
  readonly channel: string;
  readonly message_count: number;
  readonly message: string;
}

const WHY: Readonly<Record<Stranding['cause'], string>> = {
  agent: 'its messages go to another agent now',
  dimensions: 'session.dimensions separates conversations otherwise now',
  identity_links: 'session.identity_links gives its person another name now',
};

/** What the messages of the stored sessions would find under a configuration; archived ones as well. */
export async function strandedSessions(
  backend: SessionBackend,
  { routing }: Pick<Configuration, 'routing'>,
): Promise<readonly StrandedView[]> {
  const leading = { router: createRouter(routing), identityLinks: routing.policy.identityLinks };
  const found: StrandedView[] = [];
  let cursor: string | undefined;
  do {
    const page = await backend.list({ archived: 'include', limit: 1000 }, cursor);
    for (const meta of page.sessions) {
      const stranding = meta.messageCount === 0 ? undefined : strandingOf(meta, leading);
      if (stranding === undefined) continue;
      const { key: session, title = null, channel, messageCount: message_count } = meta;
      found.push({ session, title, channel, message_count, message: sentenceOf(stranding), ...stranding });
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

function sentenceOf({ fate, cause }: Stranding): string {
  return fate === 'stranded'
    ? `No message leads here any more: ${WHY[cause]}. It can be read, searched, and named as a session.`
    : `The first who speaks in the group takes the history along: ${WHY[cause]}.`;
}
