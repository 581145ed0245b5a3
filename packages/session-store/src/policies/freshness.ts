import type { SessionMeta } from '../session-meta.js';
import { dailyBoundary } from './daily-boundary.js';

/** When a conversation has grown stale. Both limits may be set: whichever comes first. Neither: never. */
export interface ResetRule {
  /** 0 to 23: what began before this hour last came is stale. */
  readonly dailyAtHour?: number;
  /** Minutes since the last activity, above 0. At the very limit a conversation is still fresh. */
  readonly idleMinutes?: number;
  /** Named as by IANA: whose days and hours count. */
  readonly timeZone: string;
  /** Whose messages are activity: a person's alone, or those of schedules and the system, and answers, as well. */
  readonly activity: 'person' | 'any';
  /** What goes over into the new segment. Default: nothing. */
  readonly carry?: {
    /** The summary, where the session has one. */
    readonly summary?: boolean;
    /** So many of the newest messages. */
    readonly lastMessages?: number;
  };
}

/** Why a conversation begins anew: how the closed segment names its end. */
export type StaleReason = 'daily' | 'idle';

/**
 * Whether the next message should open a new segment, judged by what was there before that message; undefined while
 * the conversation is fresh. Pure. What has not begun is never stale, so that a reset is not repeated. A clock that
 * went back makes nothing stale, and a time in the future keeps nothing fresh for ever.
 */
export function staleReason(session: SessionMeta, rule: ResetRule, now: Date): StaleReason | undefined {
  if (session.activeCount === 0 && session.summary === '') return undefined;
  const at = now.getTime();
  const spokenAt = rule.activity === 'any' ? session.activeAt : session.interactionAt;
  const spoken = past(spokenAt, at);
  // A segment is not older than the end of the one before it, whoever spoke last before that.
  const opened = past(session.segments.at(-1)?.endedAt, at) ?? past(session.createdAt, at);
  const lastWords = Math.max(spoken ?? opened ?? at, opened ?? 0);
  // Of a start that is missing or lies ahead this is known: it was not after the last words.
  const started = past(session.segmentStartedAt, at) ?? lastWords;
  const { dailyAtHour, idleMinutes, timeZone } = rule;
  if (dailyAtHour !== undefined && started < dailyBoundary(now, dailyAtHour, timeZone).getTime())
    return 'daily';
  // After words from a time that is still to come, the clock went back: the next message sets that right.
  if (idleMinutes === undefined || isAhead(spokenAt, at)) return undefined;
  const idleSince = spoken === undefined ? started : lastWords;
  return at > idleSince + idleMinutes * 60_000 ? 'idle' : undefined;
}

/** The instant of a time that can be believed; undefined where it is none, or lies ahead. */
function past(time: string | undefined, now: number): number | undefined {
  const instant = time === undefined ? Number.NaN : Date.parse(time);
  return instant <= now ? instant : undefined;
}

function isAhead(time: string | undefined, now: number): boolean {
  return time !== undefined && Date.parse(time) > now;
}
