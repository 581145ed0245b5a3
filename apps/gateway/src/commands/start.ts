import { fileURLToPath } from 'node:url';
import type { Configuration } from '../configuration/configuration.js';
import { type Environment, environmentValue } from '../configuration/environment.js';
import { openGateway } from '../gateway.js';
import { removeAddress, writeAddress } from '../gateway-address.js';
import { createApp } from '../http/app.js';
import { listen } from '../http/server.js';
import { createLog } from '../log.js';
import { modelReferenceText } from '../models/model-reference.js';
import { storeText } from '../stores/store-reference.js';

const GRACE_MS = 5000;

/** Runs the gateway until it is told to stop. Resolves when it has stopped. */
export async function start(configuration: Configuration, environment: Environment): Promise<void> {
  const log = createLog(
    environmentValue(environment, 'HOLDFAST_LOG') ?? 'info',
    process.stderr.isTTY === true,
  );
  const stopped = untilSignal();
  const gateway = await openGateway(configuration, environment, log);
  const app = createApp(gateway, fileURLToPath(new URL('./web/', import.meta.url)));
  const server = await listen(app, configuration.gateway.host, configuration.gateway.port).catch(
    async (error) => {
      await gateway.close({ graceMs: 0 });
      throw error;
    },
  );
  writeAddress(gateway.layout.address, {
    url: server.url,
    pid: process.pid,
    started_at: gateway.startedAt.toISOString(),
  });
  process.stdout.write(`Holdfast is listening on ${server.url}\n`);
  log.info(
    {
      model: modelReferenceText(configuration.model),
      sessions: storeText(gateway.layout.store),
      config: configuration.file,
    },
    'The gateway runs.',
  );

  const signal = await stopped;
  log.info(
    { signal, turns: gateway.runtime.active().length },
    'The gateway stops; running turns have a moment to end.',
  );
  server.stopListening();
  removeAddress(gateway.layout.address);
  await gateway.close({ graceMs: GRACE_MS });
  await server.close();
  log.info('The gateway has stopped.');
}

/** The first signal asks for an end; the second does not ask. */
function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isAsked = false;
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(name, () => {
        if (isAsked) process.exit(1);
        isAsked = true;
        resolve(name);
      });
    }
  });
}
