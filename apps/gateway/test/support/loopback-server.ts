import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { onTestFinished } from 'vitest';

/** An HTTP server on a free port of this machine, gone when the test has ended. */
export async function loopbackServer(
  listener: RequestListener,
): Promise<{ readonly server: Server; readonly port: number; readonly url: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return { server, port, url: `http://127.0.0.1:${port}` };
}
