import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conformance } from '@x/session-store/conformance';
import { it } from 'vitest';
import { openLegacyDriver } from './legacy-driver.js';

// The older files are a store like any other for a run that has to go on with them.
conformance({
  test: it,
  async create() {
    const directory = await mkdtemp(join(tmpdir(), 'legacy-json-kit-'));
    return {
      open: () => openLegacyDriver({ directory }),
      dispose: () => rm(directory, { recursive: true, force: true }),
    };
  },
});
