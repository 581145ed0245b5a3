import type { LeaseDriver } from './driver.js';

/** Leases of a store that one process has for itself: they need not outlive it. */
export interface LeasesInProcess extends LeaseDriver {
  /** True where the token is the one in force, run out or not: nobody else has taken the session since. */
  holds(key: string, token: number): boolean;
}

export function createLeasesInProcess(now: () => number): LeasesInProcess {
  const granted = new Map<string, { holder: string; token: number; until: number }>();
  let lastToken = 0;
  const holds = (key: string, token: number) => granted.get(key)?.token === token;

  return {
    holds,
    async grant(key, holder, ttlMs) {
      const current = granted.get(key);
      if (current !== undefined && current.holder !== holder && current.until > now()) return undefined;
      lastToken += 1;
      granted.set(key, { holder, token: lastToken, until: now() + ttlMs });
      return lastToken;
    },
    async renew(key, token, ttlMs) {
      const current = granted.get(key);
      if (current?.token !== token) return false;
      granted.set(key, { ...current, until: now() + ttlMs });
      return true;
    },
    async release(key, token) {
      if (holds(key, token)) granted.delete(key);
    },
  };
}
