import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadConfiguration } from '../../src/configuration/load-configuration.js';
import { type Gateway, openGateway } from '../../src/gateway.js';
import { createApp } from '../../src/http/app.js';
import { createLog } from '../../src/log.js';
import type { InboundMessage } from '../../src/receive.js';
import { receive } from '../../src/receive.js';
import { surfaceContext } from '../../src/surface-context.js';
import type { Answer } from './client.js';
import { temporaryFolder } from './temporary-folder.js';

/** A gateway inside the test, whose clock can be put forward; it is closed when the test has ended. */
export interface GatewayHere {
  readonly gateway: Gateway;
  readonly folder: string;
  /** How far its clock is ahead of the machine's. */
  aheadMs: number;
  /** What is answered, and the session it was said in. */
  say(
    text: string,
    message?: Partial<InboundMessage>,
  ): Promise<{ readonly reply: string; readonly key: string }>;
  /** What a model would be shown beside instructions, as `role: text`. */
  active(key: string): Promise<readonly string[]>;
  /** Over HTTP, without a socket. */
  request(path: string, init?: { readonly method?: string; readonly body?: unknown }): Promise<Answered>;
}

export interface Answered {
  readonly status: number;
  readonly body: Answer;
}

export async function gatewayHere(
  configuration: object = {},
  folder = temporaryFolder(),
): Promise<GatewayHere> {
  const file = join(folder, 'holdfast.config.json');
  writeFileSync(file, JSON.stringify(configuration));
  const environment = { HOLDFAST_DATA: join(folder, 'data'), HOLDFAST_MODEL: 'offline' };
  const loaded = loadConfiguration({ file, environment, folder });
  const here = { aheadMs: 0 };
  const gateway = await openGateway(
    loaded,
    environment,
    createLog('silent', false),
    () => new Date(Date.now() + here.aheadMs),
  );
  onTestFinished(() => gateway.close({ graceMs: 0 }));
  const app = createApp(gateway, folder);
  return Object.assign(here, {
    gateway,
    folder,
    async say(text: string, message: Partial<InboundMessage> = {}) {
      const turn = await receive(gateway, { context: surfaceContext('cli'), text, ...message });
      const { reply } = await turn.outcome;
      return { reply, key: turn.sessionKey };
    },
    async active(key: string) {
      const messages = await gateway.backend.read(key);
      return messages
        .filter(({ role }) => role !== 'system')
        .map(({ role, content }) => `${role}: ${content}`);
    },
    async request(path: string, { method = 'GET', body }: { method?: string; body?: unknown } = {}) {
      const answer = await app.request(`http://127.0.0.1${path}`, {
        method,
        headers: { host: '127.0.0.1', 'content-type': 'application/json', accept: 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: (await answer.json()) as Answer };
    },
  });
}
