import type { Trial } from '../src/conformance/index.js';
import { createMemoryDriver, type LeaseDriver, LeaseLost, type SessionDriver } from '../src/index.js';

/** A memory that outlives its closing and that several may have open, with leases of its own: a store with all there is. */
export function keptMemory(): Trial {
  const memory = createMemoryDriver();
  const leases = createLeases();
  return {
    async open() {
      return keptDriver(memory, leases);
    },
  };
}

function keptDriver(
  memory: SessionDriver,
  leases: LeaseDriver & { holds(key: string, token: number): boolean },
) {
  const driver: SessionDriver = {
    ...memory,
    name: 'kept memory',
    capabilities: { ...memory.capabilities, durable: 'process', sharing: 'many-processes' },
    async transact(need, decide) {
      await memory.transact(need, (found) => {
        if (need.fence !== undefined && !leases.holds(need.fence.key, need.fence.token)) {
          throw new LeaseLost(`The lease of "${need.fence.key}" is lost.`, { key: need.fence.key });
        }
        return decide(found);
      });
    },
    leases,
  };
  return driver;
}

export function createLeases() {
  const granted = new Map<
    string,
    { readonly holder: string; readonly token: number; readonly until: number }
  >();
  let lastToken = 0;
  const holds = (key: string, token: number) => granted.get(key)?.token === token;
  return {
    holds,
    async grant(key: string, holder: string, ttlMs: number) {
      const current = granted.get(key);
      if (current !== undefined && current.holder !== holder && current.until > Date.now()) return undefined;
      lastToken += 1;
      granted.set(key, { holder, token: lastToken, until: Date.now() + ttlMs });
      return lastToken;
    },
    async renew(key: string, token: number, ttlMs: number) {
      const current = granted.get(key);
      if (current?.token !== token) return false;
      granted.set(key, { ...current, until: Date.now() + ttlMs });
      return true;
    },
    async release(key: string, token: number) {
      if (holds(key, token)) granted.delete(key);
    },
  };
}
