import { createMemoryBackend } from '@x/session-store';
import { dueReset, maintainSessions } from '@x/session-store/policies';

let now = new Date('2026-03-28T20:00:00Z');
const backend = createMemoryBackend({ now: () => now });
await backend.ensure('ann');
await backend.append('ann', [{ role: 'user', content: 'Let us plan the trip.' }]);

// Every day at four, by the clocks of Berlin, or after twelve hours of silence: whichever comes first.
const rule = { timeZone: 'Europe/Berlin', dailyAtHour: 4, idleMinutes: 720, activity: 'person' } as const;
const policy = { base: { ...rule, carry: { lastMessages: 4 } }, byKind: {}, byChannel: {} };

now = new Date('2026-03-29T02:00:00Z'); // 4:00 there: the night is an hour short
const session = await backend.meta('ann');
const due = session && dueReset(policy, session, now);
console.log(due);
if (due) await backend.reset('ann', due);

now = new Date('2026-06-01T00:00:00Z');
const limits = { pruneAfterMs: 30 * 86_400_000, maxSessions: 500 };
const trial = await maintainSessions(backend, limits, { now, running: () => false, enforce: false });
for (const { action, reason, session } of trial.steps) console.log(`${action} ${session.key}: ${reason}`);
