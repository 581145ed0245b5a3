const storageKey = 'holdfast.token';

/** The token this tab was given, if any. It lives as long as the tab. */
export function readToken(): string | undefined {
  return sessionStorage.getItem(storageKey) ?? undefined;
}

export function keepToken(token: string): void {
  sessionStorage.setItem(storageKey, token);
}
