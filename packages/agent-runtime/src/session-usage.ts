import type { SessionBackend } from '@x/session-store';
import { addedUsage, type StepUsage, sessionUsage, usageAttributes } from './usage.js';

/** Adds to the session's own sum. A session that was deleted meanwhile is not begun anew for it. */
export async function addSessionUsage(
  backend: SessionBackend,
  sessionKey: string,
  usage: StepUsage,
): Promise<void> {
  const meta = await backend.meta(sessionKey);
  if (meta === undefined || meta.deletedAt !== undefined) return;
  const sum = addedUsage(sessionUsage(meta), usage) ?? usage;
  await backend.ensure(sessionKey, { attributes: usageAttributes(sum) });
}
