/** Half a surrogate pair is no text: providers refuse the whole request for it. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** At most `limit` characters, the last of them an ellipsis where something was cut. */
export function excerpt(text: string, limit: number): string {
  return text.length <= limit ? text : wellFormed(`${text.slice(0, limit - 1)}…`);
}
