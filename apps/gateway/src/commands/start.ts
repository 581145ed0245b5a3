import { fileURLToPath } from 'node:url';
import type { Configuration } from '../configuration/configuration.js';
import { type Environment, environmentValue } from '../configuration/environment.js';
import { writingData } from '../data-folder.js';
import { type Gateway, openGateway } from '../gateway.js';
import { removeAddress, writeAddress } from '../gateway-address.js';
import { createApp } from '../http/app.js';
import { listen, type RunningServer } from '../http/server.js';
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
  let server: RunningServer | undefined;
  try {
    const app = createApp(gateway, fileURLToPath(new URL('./web/', import.meta.url)));
    server = await listen(app, configuration.gateway.host, configuration.gateway.port);
    await gateway.jobs.start();
    await gateway.channels.start();
    announce(gateway, server.url);
    const signal = await stopped;
    log.info(
      { signal, turns: gateway.runtime.active().length },
      'The gateway stops; running turns have a moment to end.',
    );
  } catch (error) {
    await stop(gateway, server, 0);
    throw error;
  }
  await stop(gateway, server, GRACE_MS);
  log.info('The gateway has stopped.');
}

function announce({ configuration, layout, startedAt, log }: Gateway, url: string): void {
  writingData(configuration.data, () =>
    writeAddress(layout.address, { url, pid: process.pid, started_at: startedAt.toISOString() }),
  );
  process.stdout.write(`Holdfast is listening on ${url}\n`);
  log.info(
    {
      model: modelReferenceText(configuration.model),
      sessions: storeText(layout.store),
      config: configuration.file,
    },
    'The gateway runs.',
  );
}

/** Whatever fails on the way, the store is closed and nothing is left that keeps the process alive. */
async function stop(gateway: Gateway, server: RunningServer | undefined, graceMs: number): Promise<void> {
  server?.stopListening();
  try {
    removeAddress(gateway.layout.address);
  } catch (error) {
    gateway.log.warn({ err: error }, 'The note of the address could not be removed.');
  }
  try {
    await gateway.close({ graceMs });
  } finally {
    await server?.close();
  }
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
