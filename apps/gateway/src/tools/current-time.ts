import { defineTool, type Tool } from '@x/agent-runtime';
import { z } from 'zod';

/** Tells the time, by the clock it is given. */
export function currentTimeTool(clock: () => Date): Tool {
  return defineTool({
    name: 'current_time',
    description:
      'The current date and time, in UTC or in a time zone named as by IANA, such as Europe/Berlin.',
    inputSchema: z.object({ time_zone: z.string().optional() }),
    async execute({ time_zone: timeZone = 'UTC' }) {
      const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long', timeZone });
      return format.format(clock());
    },
  });
}
