import { defineBackend, type SessionBackend } from '@x/session-store';
import { type OpenclawOptions, openOpenclawDriver } from './openclaw-driver.js';

/** An OpenClaw folder as a whole backend, of which every write is `Unsupported`. See `openOpenclawDriver`. */
export async function createOpenclawBackend(options: OpenclawOptions): Promise<SessionBackend> {
  return defineBackend(await openOpenclawDriver(options));
}
