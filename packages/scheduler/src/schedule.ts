import { z } from 'zod';
import { cronProblem } from './cron.js';
import { isTimeZone } from './time-zone.js';

/** Ten years: what is further away is a mistake of unit. */
const longest = 10 * 366 * 86_400;

/** Unix milliseconds; from outside also an ISO 8601 time that says its offset. */
const timestamp = z.union(
  [z.int().min(0).max(8.64e15), z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))],
  {
    error:
      'expected Unix milliseconds, or an ISO 8601 time with its offset, such as 2026-03-29T09:00:00+02:00',
  },
);

const timeZone = z
  .string()
  .refine(isTimeZone, {
    error: ({ input }) =>
      `unknown time zone ${JSON.stringify(input)}: expected a name of the IANA database, such as Europe/Berlin`,
  })
  .describe('An IANA time zone.');

const cronSchema = z
  .looseObject({
    type: z.literal('cron'),
    expression: z.string().max(200).describe('Five fields (minute first), or six with seconds before them.'),
    time_zone: timeZone.optional(),
  })
  .superRefine(({ expression, time_zone }, context) => {
    const problem = cronProblem(expression, time_zone);
    if (problem !== undefined) context.addIssue({ code: 'custom', path: ['expression'], message: problem });
  });

/**
 * When a job runs, in the JSON that is configured, sent and stored. `delay`: once, so many seconds after it was
 * made · `interval`: every so many seconds, the first time after `startup_delay_seconds` where it has one ·
 * `at`: once, at that time · `cron`: by the calendar of its time zone.
 */
export const scheduleSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('delay'), seconds: z.int().min(0).max(longest) }),
  z.looseObject({
    type: z.literal('interval'),
    seconds: z.int().min(1).max(longest),
    startup_delay_seconds: z.int().min(0).max(longest).optional(),
  }),
  z.looseObject({ type: z.literal('at'), timestamp }),
  cronSchema,
]);

export type Schedule = z.output<typeof scheduleSchema>;

/** Runs once and is over. */
export function isOneShot({ type }: Pick<Schedule, 'type'>): boolean {
  return type === 'delay' || type === 'at';
}
