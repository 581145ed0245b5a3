import { expect, test } from 'vitest';
import type { LiveEvent } from '../api/shapes.js';
import { createConnection } from './connection.js';

const hello = (startedAt: string): LiveEvent => ({ event: 'hello', started_at: startedAt });
const token: LiveEvent = { event: 'token', session_key: 'k', turn_id: 't', text: 'x' };

test('comes back after each loss and says whether the gateway is another one', async () => {
  const lines: (LiveEvent | Error)[][] = [
    [hello('one'), token],
    [new Error('refused')],
    [hello('one')],
    [hello('two')],
  ];
  const log: string[] = [];
  await new Promise<void>((resolve) => {
    const connection = createConnection({
      api: {
        async *events() {
          const line = lines.shift();
          if (!line) {
            connection.close();
            resolve();
            return;
          }
          for (const event of line) {
            if (event instanceof Error) throw event;
            yield event;
          }
        },
      },
      onEvent: (event) => log.push(event.event),
      onOpen: ({ restarted }) => log.push(`open restarted=${restarted}`),
    });
    connection.cell.subscribe(() => {
      log.push(connection.cell.get());
      if (connection.cell.get() === 'lost') queueMicrotask(connection.wake);
    });
  });
  expect(log).toEqual([
    'open restarted=false',
    'open',
    'hello',
    'token',
    'lost',
    'open restarted=false',
    'open',
    'hello',
    'lost',
    'open restarted=true',
    'open',
    'hello',
    'lost',
  ]);
});
