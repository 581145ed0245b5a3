import { describe, it } from 'vitest';
import { conformanceModel } from '../src/conformance/index.js';
import { createMemoryDriver } from '../src/index.js';
import { keptMemory } from './kept-memory.js';

describe('the memory driver', () => {
  conformanceModel(
    { test: it, create: async () => ({ open: async () => createMemoryDriver() }) },
    { runs: 60 },
  );
});

describe('a driver that is durable', () => {
  conformanceModel({ test: it, create: async () => keptMemory() }, { runs: 60 });
});
