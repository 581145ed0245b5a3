const prefix = 'holdfast.draft.';

/** Unsent text by session, kept in the browser. `new` stands for a chat not begun yet. */
export function readDraft(session: string): string {
  return localStorage.getItem(prefix + session) ?? '';
}

export function keepDraft(session: string, text: string): void {
  if (text === '') localStorage.removeItem(prefix + session);
  else localStorage.setItem(prefix + session, text);
}
