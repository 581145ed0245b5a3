const furthest = 8.64e15;

/** ISO 8601 of a time in Unix milliseconds; a time that no calendar has becomes the nearest that one has. */
export function isoOf(milliseconds: number): string {
  const whole = Number.isFinite(milliseconds) ? Math.trunc(milliseconds) : 0;
  return new Date(Math.min(furthest, Math.max(-furthest, whole))).toISOString();
}

/** Unix milliseconds of a time in ISO 8601; 0 for what is none. */
export function unixOf(iso: string): number {
  const milliseconds = Date.parse(iso);
  return Number.isNaN(milliseconds) ? 0 : milliseconds;
}
