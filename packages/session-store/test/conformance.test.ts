import { describe, it } from 'vitest';
import { conformance } from '../src/conformance/index.js';
import { createMemoryDriver } from '../src/index.js';
import { keptMemory } from './kept-memory.js';

describe('the memory driver', () => {
  conformance({ test: it, create: async () => ({ open: async () => createMemoryDriver() }) });
});

describe('a driver that is durable, shared and has leases of its own', () => {
  conformance({ test: it, create: async () => keptMemory() });
});

/** As a database does that finds its transaction in conflict. */
describe('a driver that decides twice', () => {
  conformance({
    test: it,
    create: async () => ({
      open: async () => {
        const driver = createMemoryDriver();
        return {
          ...driver,
          transact: (need, decide) =>
            driver.transact(need, (found) => {
              decide(found);
              return decide(found);
            }),
        };
      },
    }),
  });
});

describe('a driver that has no search', () => {
  conformance({
    test: it,
    create: async () => ({
      open: async () => {
        const { search: _none, ...driver } = createMemoryDriver();
        return { ...driver, capabilities: { ...driver.capabilities, search: false } };
      },
    }),
  });
});
