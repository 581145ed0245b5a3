import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conformance } from '@x/session-store/conformance';
import { it } from 'vitest';
import { openJsonlDriver } from './index.js';

conformance({
  test: it,
  async create() {
    const directory = await mkdtemp(join(tmpdir(), 'memory-jsonl-kit-'));
    return {
      open: () => openJsonlDriver({ directory }),
      dispose: () => rm(directory, { recursive: true, force: true }),
    };
  },
});
