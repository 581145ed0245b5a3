import { conformance, conformanceModel } from '@x/session-store/conformance';
import { it } from 'vitest';
import { createMapDriver } from '../examples/map-driver.js';

const subject = {
  test: it,
  // A fresh store for every case; `open` is called again where the store says that it is durable.
  create: async () => ({ open: async () => createMapDriver() }),
};

conformance(subject);
conformanceModel(subject, { runs: 20 });
