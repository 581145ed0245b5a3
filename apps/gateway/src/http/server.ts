import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { RunError } from '../run-error.js';

export interface RunningServer {
  /** Where it listens, such as http://127.0.0.1:7420. */
  readonly url: string;
  /** Takes no new connections; those that are open go on. */
  stopListening(): void;
  /** Ends what is still open. */
  close(): Promise<void>;
}

interface App {
  /** `connection`: the socket behind the request, as the server hands it over. */
  fetch(request: Request, connection: object): Response | Promise<Response>;
}

/** Listens; `RunError` where the address cannot be had. */
export async function listen(app: App, host: string, port: number): Promise<RunningServer> {
  const server = createAdaptorServer({
    fetch: (request, connection) => app.fetch(request, connection),
    overrideGlobalObjects: false,
  }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen(port, host, resolve);
  });
  const closed = new Promise<void>((resolve) => server.once('close', resolve));
  const address = server.address();
  const boundPort = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,
    stopListening() {
      if (server.listening) server.close();
    },
    async close() {
      if (server.listening) server.close();
      server.closeIdleConnections();
      // A moment for what was just written to reach its reader.
      const late = setTimeout(() => server.closeAllConnections(), 500);
      await closed;
      clearTimeout(late);
    },
  };
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): RunError {
  if (error.code === 'EADDRINUSE') {
    return new RunError(
      `Port ${port} on ${host} is in use. Stop what uses it, or set HOLDFAST_PORT to another (0 for any free one).`,
    );
  }
  if (error.code === 'EACCES')
    return new RunError(
      `Port ${port} on ${host} may not be used by this user. Set HOLDFAST_PORT to another.`,
    );
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new RunError(
      `${host} is not an address of this machine. Set HOLDFAST_HOST to one, such as 127.0.0.1.`,
    );
  }
  return new RunError(`Cannot listen on ${host}:${port}: ${error.message}`);
}
