import type { SessionBackend } from './backend.js';
import { type BackendOptions, defineBackend } from './define-backend.js';
import { createMemoryDriver } from './memory-driver.js';

/** A complete backend in memory: everything works, nothing outlives the process. */
export function createMemoryBackend(
  options: BackendOptions & { readonly maxMessageBytes?: number } = {},
): SessionBackend {
  return defineBackend(createMemoryDriver(options), options);
}
