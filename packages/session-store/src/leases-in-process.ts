import type { LeaseDriver } from './driver.js';

/** Leases of a store that one process has for itself: they need not outlive it. */
export interface LeasesInProcess extends LeaseDriver {
  /** True where the token is the one in force, run out or not: nobody else has taken the session since. */
  holds(key: string, token: number): boolean;
}

/** Of leases that ran out and were never released, so many stay in force; who held an older one has lost it. */
const keptAtMost = 10_000;

export function createLeasesInProcess(now: () => number, kept = keptAtMost): LeasesInProcess {
  /** Those granted or renewed last stand last. */
  const granted = new Map<string, { holder: string; token: number; until: number }>();
  let lastToken = 0;
  const holds = (key: string, token: number) => granted.get(key)?.token === token;

  function put(key: string, holder: string, token: number, ttlMs: number): void {
    granted.delete(key);
    granted.set(key, { holder, token, until: now() + ttlMs });
    for (const [oldest, { until }] of granted) {
      if (granted.size <= kept || until > now()) break;
      granted.delete(oldest);
    }
  }

  return {
    holds,
    async grant(key, holder, ttlMs) {
      const current = granted.get(key);
      if (current !== undefined && current.holder !== holder && current.until > now()) return undefined;
      lastToken += 1;
      put(key, holder, lastToken, ttlMs);
      return lastToken;
    },
    async renew(key, token, ttlMs) {
      const current = granted.get(key);
      if (current?.token !== token) return false;
      put(key, current.holder, token, ttlMs);
      return true;
    },
    async release(key, token) {
      if (holds(key, token)) granted.delete(key);
    },
  };
}
