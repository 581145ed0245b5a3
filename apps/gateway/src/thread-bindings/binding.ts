import { z } from 'zod';

/** Where something is bound: a chat or a thread of it, and there one person's conversation or everybody's. */
export const boundPlaceSchema = z.object({
  channel: z.string().min(1),
  account: z.string().min(1),
  /** As scopes write them: `guild:1`, `group:-100123`, `topic:42`. */
  space: z.string().optional(),
  chat: z.string().optional(),
  topic: z.string().optional(),
  sender: z.string().optional(),
});
export type BoundPlace = z.infer<typeof boundPlaceSchema>;

/** What answers there: a session, or the routed session of an agent. */
export const bindingTargetSchema = z.union([
  z.strictObject({ session: z.string().min(1).max(1024) }),
  z.strictObject({ agent: z.string().min(1).max(64) }),
]);
export type BindingTarget = z.infer<typeof bindingTargetSchema>;

export const bindingSchema = z.object({
  id: z.string().min(1),
  place: boundPlaceSchema,
  target: bindingTargetSchema,
  boundAt: z.iso.datetime(),
  /** The last message that it led on its way. */
  usedAt: z.iso.datetime(),
  idleMs: z.number().positive().optional(),
  maxAgeMs: z.number().positive().optional(),
});

/** A place that leads elsewhere than its messages are routed, for a while. */
export type Binding = z.infer<typeof bindingSchema>;

/** When it is released, unless it is used before; undefined: never. */
export function expiryOf({ boundAt, usedAt, idleMs, maxAgeMs }: Omit<Binding, 'id'>): Date | undefined {
  const ends = [
    ...(idleMs === undefined ? [] : [Date.parse(usedAt) + idleMs]),
    ...(maxAgeMs === undefined ? [] : [Date.parse(boundAt) + maxAgeMs]),
  ];
  return ends.length === 0 ? undefined : new Date(Math.min(...ends));
}

export function isExpired(binding: Binding, now: Date): boolean {
  const expiry = expiryOf(binding);
  return expiry !== undefined && expiry.getTime() <= now.getTime();
}
