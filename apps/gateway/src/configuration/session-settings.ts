import {
  type ChatKind,
  isTimeZone,
  type MaintenanceLimits,
  type ResetPolicy,
  type ResetRule,
} from '@x/session-store/policies';
import { z } from 'zod';

const resetSchema = z.strictObject({
  mode: z
    .enum(['none', 'daily', 'idle'])
    .optional()
    .describe(
      'daily: at an hour, and after idle_minutes too where they are given; idle: those alone; none: never.',
    ),
  at_hour: z.int().min(0).max(23).optional().describe('The hour of the day, in time_zone. Default 4.'),
  idle_minutes: z
    .number()
    .min(0)
    .max(5_256_000)
    .nullish()
    .describe('Silence after which the next message begins a new segment; 0 for never.'),
  time_zone: z
    .string()
    .refine(isTimeZone, 'expected a time zone as IANA names it, such as Europe/Berlin')
    .optional()
    .describe('Whose hours count. Default: that of the machine.'),
  activity: z
    .enum(['person', 'any'])
    .optional()
    .describe('Whose messages are activity. Default person: jobs, system messages and answers are none.'),
  carry: z
    .strictObject({
      summary: z.boolean().optional().describe('The summary goes over into the new segment.'),
      last_messages: z.int().min(0).max(100).optional().describe('So do so many of the newest messages.'),
    })
    .optional(),
});
type WrittenReset = z.infer<typeof resetSchema>;

const DAYS = z.number().positive().max(36_500).optional();

/** What stands in the `session` block beside what routing reads of it; other programs' fields are left alone. */
export const sessionSettingsSchema = z.looseObject({
  reset: resetSchema.optional().describe('When a conversation begins anew by itself. Default: never.'),
  reset_by_type: z
    .strictObject({
      direct: resetSchema.optional(),
      group: resetSchema.optional(),
      thread: resetSchema.optional(),
    })
    .optional()
    .describe('Fields that differ for a kind of chat.'),
  reset_by_channel: z
    .record(z.string(), resetSchema)
    .optional()
    .describe('For a channel, in place of all of the above.'),
  maintenance: z
    .strictObject({
      mode: z
        .enum(['warn', 'enforce'])
        .optional()
        .describe('warn (default): only say what would be done; enforce: do it.'),
      prune_after_days: DAYS.describe('A session without a message for so long goes into the bin.'),
      max_sessions: z.int().min(1).optional().describe('Beyond so many the oldest go into the bin.'),
      purge_after_days: DAYS.describe('What lay in the bin for so long is destroyed. Default 30.'),
      max_disk_mb: z
        .number()
        .positive()
        .optional()
        .describe('Beyond this the bin is emptied, and the oldest sessions go into it.'),
      high_water_mb: z
        .number()
        .positive()
        .optional()
        .describe('Where that ends. Default: 80 % of max_disk_mb.'),
    })
    .optional(),
  thread_bindings: z
    .strictObject({
      idle_hours: z
        .number()
        .min(0)
        .optional()
        .describe('A bound thread is released after so much silence; 0 for never. Default 24.'),
      max_age_hours: z
        .number()
        .min(0)
        .optional()
        .describe('And at this age, however busy it is; 0 (default) for never.'),
    })
    .optional(),
  agent_reach: z
    .enum(['none', 'own', 'agent', 'all'])
    .optional()
    .describe(
      'Which other sessions agents may list, read and speak to. none (default): they have no such tools; own: those begun from theirs; agent: those of the same agent; all.',
    ),
});
export type WrittenSessionSettings = z.infer<typeof sessionSettingsSchema>;

export const chatCommandsSchema = z.strictObject({
  admins: z
    .array(z.string().min(1))
    .optional()
    .describe('Who may change what a group shares: names of session.identity_links, or ids as channel:id.'),
  everyone_in_groups: z.boolean().optional().describe('true: everybody in a group may. Default false.'),
});

export interface MaintenanceSettings {
  readonly isEnforced: boolean;
  readonly limits: MaintenanceLimits;
}

/** Milliseconds; undefined: for ever. */
export interface BindingSettings {
  readonly idleMs: number | undefined;
  readonly maxAgeMs: number | undefined;
}

export interface CommandSettings {
  readonly admins: readonly string[];
  readonly isOpenToGroups: boolean;
}

const HOUR_MS = 3_600_000;
const MEGABYTE = 1024 * 1024;

/** `complain` is told what a block cannot mean, by its place in the file. */
export function resetPolicyOf(
  settings: WrittenSessionSettings,
  complain: (path: string, message: string) => void,
): ResetPolicy {
  const { reset = {}, reset_by_type: byType = {}, reset_by_channel: byChannel = {} } = settings;
  function rule(path: string, written: WrittenReset): ResetRule {
    if (written.mode === 'idle' && !isAbove0(written.idle_minutes))
      complain(`session.${path}`, 'mode idle needs idle_minutes above 0');
    return ruleOf(written);
  }
  const kinds = Object.entries(byType) as [ChatKind, WrittenReset][];
  return {
    base: rule('reset', reset),
    byKind: Object.fromEntries(
      kinds.map(([kind, written]) => [kind, rule(`reset_by_type.${kind}`, over(reset, written))]),
    ),
    byChannel: Object.fromEntries(
      Object.entries(byChannel).map(([channel, written]) => [
        channel.trim().toLowerCase(),
        rule(`reset_by_channel.${channel}`, written),
      ]),
    ),
  };
}

/** Field by field; a limit of its own means that limit, also where the base resets nothing. */
function over(base: WrittenReset, written: WrittenReset): WrittenReset {
  const namesLimit = written.at_hour !== undefined || isAbove0(written.idle_minutes);
  const { mode, ...rest } = base;
  return { ...(namesLimit && mode === 'none' ? rest : base), ...written };
}

function ruleOf(written: WrittenReset): ResetRule {
  const { mode, at_hour: hour, idle_minutes: minutes, time_zone: timeZone, carry = {} } = written;
  const isDaily = mode === 'daily' || (mode === undefined && hour !== undefined);
  return {
    timeZone: timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
    activity: written.activity ?? 'person',
    ...(isDaily && { dailyAtHour: hour ?? 4 }),
    ...(mode !== 'none' && isAbove0(minutes) && { idleMinutes: minutes }),
    carry: {
      ...(carry.summary !== undefined && { summary: carry.summary }),
      ...(carry.last_messages !== undefined && { lastMessages: carry.last_messages }),
    },
  };
}

function isAbove0(minutes: number | null | undefined): minutes is number {
  return minutes != null && minutes > 0;
}

export function maintenanceOf({ maintenance = {} }: WrittenSessionSettings): MaintenanceSettings {
  const {
    mode = 'warn',
    prune_after_days: pruneDays,
    max_sessions: maxSessions,
    purge_after_days = 30,
  } = maintenance;
  const { max_disk_mb: disk, high_water_mb: highWater = (disk ?? 0) * 0.8 } = maintenance;
  return {
    isEnforced: mode === 'enforce',
    limits: {
      purgeAfterMs: purge_after_days * 24 * HOUR_MS,
      ...(pruneDays !== undefined && { pruneAfterMs: pruneDays * 24 * HOUR_MS }),
      ...(maxSessions !== undefined && { maxSessions }),
      ...(disk !== undefined && {
        disk: { maxBytes: disk * MEGABYTE, highWaterBytes: Math.min(highWater, disk) * MEGABYTE },
      }),
    },
  };
}

export function bindingSettingsOf({ thread_bindings = {} }: WrittenSessionSettings): BindingSettings {
  const { idle_hours = 24, max_age_hours = 0 } = thread_bindings;
  const lasting = (hours: number) => (hours === 0 ? undefined : hours * HOUR_MS);
  return { idleMs: lasting(idle_hours), maxAgeMs: lasting(max_age_hours) };
}

export function commandSettingsOf(written: z.infer<typeof chatCommandsSchema> = {}): CommandSettings {
  return {
    admins: (written.admins ?? []).map((name) => name.trim().toLowerCase()),
    isOpenToGroups: written.everyone_in_groups ?? false,
  };
}
