import { type BackendOptions, defineBackend, type SessionBackend } from '@x/session-store';
import { type JsonlOptions, openJsonlDriver } from './jsonl-driver.js';

/**
 * A session store over a folder of JSONL files: the history of a session is a file with one message a line, safe
 * on disk when a promise resolves. Opens PicoClaw's folders, and leaves ones that PicoClaw can open once closed.
 */
export async function createJsonlBackend(options: JsonlOptions & BackendOptions): Promise<SessionBackend> {
  const { now, newId } = options;
  return defineBackend(await openJsonlDriver(options), {
    ...(now === undefined ? {} : { now }),
    ...(newId === undefined ? {} : { newId }),
  });
}
