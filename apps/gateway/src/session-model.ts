import type { SessionMeta } from '@x/session-store';

/** The model that was chosen for a session, by `/model`. */
export function modelAsked(meta: SessionMeta | undefined): string | undefined {
  const model = meta?.attributes.model;
  return typeof model === 'string' ? model : undefined;
}
