import { dirname, join } from 'node:path';
import { z } from 'zod';
import { ownToken } from '../configuration/access-tokens.js';
import type { Configuration } from '../configuration/configuration.js';
import { dataLayout } from '../configuration/data-layout.js';
import { findRunningGateway } from '../gateway-address.js';
import { RunError } from '../run-error.js';
import type { SessionView } from '../session-view.js';
import { isSameStore, type StoreReference } from '../stores/store-reference.js';

const viewSchema = z.object({
  key: z.string(),
  title: z.string().nullable(),
  channel: z.string(),
  agent_id: z.string(),
  message_count: z.number(),
  active_count: z.number(),
  summary: z.string(),
  aliases: z.array(z.string()),
  created_at: z.string(),
  updated_at: z.string(),
  archived: z.boolean(),
  deleted: z.boolean(),
});
const sessionSchema = z.object({ session: viewSchema });
const pageSchema = z.object({ sessions: z.array(viewSchema), next_cursor: z.string().nullable() });
const statusSchema = z.object({ store: z.object({ kind: z.enum(['jsonl', 'sqlite']), path: z.string() }) });
const problemSchema = z.object({ error: z.object({ message: z.string() }) });

/** The gateway that runs on a store: who has the store open changes it, and tells everybody who looks. */
export interface RunningGateway {
  /** The session of a key, an alias or a name. */
  find(name: string): Promise<SessionView>;
  findDeleted(name: string): Promise<SessionView>;
  change(
    method: 'POST' | 'DELETE',
    key: string,
    action: string,
    body?: unknown,
  ): Promise<SessionView | undefined>;
  /** Any other request: the JSON of its answer. */
  ask(method: string, path: string, body?: unknown): Promise<unknown>;
}

/** Looks where a gateway on this store would have left its address. */
export async function gatewayOn(
  store: StoreReference,
  configuration: Configuration,
): Promise<RunningGateway | undefined> {
  const note = join('.holdfast', 'gateway', 'gateway.json');
  const places = [
    dataLayout(configuration).address,
    join(dirname(store.path), note),
    ...(store.kind === 'jsonl' ? [join(store.path, note)] : []),
  ];
  for (const place of new Set(places)) {
    const address = await findRunningGateway(place);
    if (address === undefined) continue;
    const ask = askerOf(address.url, ownToken(configuration.gateway.tokens));
    const status = statusSchema.safeParse(await (await ask('GET', '/api/status')).json());
    if (status.success && isSameStore(status.data.store, store)) return speakTo(ask);
  }
  return undefined;
}

type Ask = (method: string, path: string, body?: unknown) => Promise<Response>;

function askerOf(url: string, token: string | undefined): Ask {
  return async (method, path, body) => {
    const answer = await fetch(new URL(path, url), {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(() => {
      throw new RunError(`The gateway at ${url} does not answer.`);
    });
    if (answer.ok) return answer;
    const problem = problemSchema.safeParse(await answer.json().catch(() => undefined));
    throw new RunError(problem.data?.error.message ?? `The gateway at ${url} answered ${answer.status}.`);
  };
}

function speakTo(ask: Ask): RunningGateway {
  const pathOf = (key: string) => `/api/sessions/${encodeURIComponent(key)}`;
  return {
    async find(name) {
      return sessionSchema.parse(await (await ask('GET', pathOf(name))).json()).session;
    },
    async findDeleted(name) {
      let cursor: string | null = null;
      do {
        const query = new URLSearchParams({
          deleted: 'true',
          limit: '200',
          ...(cursor === null ? {} : { cursor }),
        });
        const page = pageSchema.parse(await (await ask('GET', `/api/sessions?${query}`)).json());
        const found = page.sessions.find(
          ({ key, aliases, title }) => key === name || aliases.includes(name.toLowerCase()) || title === name,
        );
        if (found !== undefined) return found;
        cursor = page.next_cursor;
      } while (cursor !== null);
      throw new RunError(
        `Nothing that is deleted has the key or name ${JSON.stringify(name)}. See: holdfast sessions list --deleted`,
      );
    },
    async change(method, key, action, body) {
      const path = action === '' ? pathOf(key) : `${pathOf(key)}/${action}`;
      const answer = await ask(method, path, body ?? (method === 'POST' ? {} : undefined));
      return sessionSchema.safeParse(await answer.json()).data?.session;
    },
    ask: async (method, path, body) => (await ask(method, path, body)).json(),
  };
}
