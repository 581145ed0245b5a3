const furthest = 8.64e15;
const dayMs = 86_400_000;
/** `2026-01-01T`, of the days last asked for: a date is dear, and most times are of a few days. */
const days = new Map<number, string>();
const daysHeld = 100;

/** ISO 8601 of a time in Unix milliseconds; a time that no calendar has becomes the nearest that one has. */
export function isoOf(milliseconds: number): string {
  const given = Number.isFinite(milliseconds) ? Math.trunc(milliseconds) : 0;
  const whole = Math.min(furthest, Math.max(-furthest, given));
  const day = Math.floor(whole / dayMs);
  let date = days.get(day);
  if (date === undefined) {
    if (days.size >= daysHeld) days.clear();
    const iso = new Date(whole).toISOString();
    date = iso.slice(0, iso.indexOf('T') + 1);
    days.set(day, date);
  }
  const rest = whole - day * dayMs;
  const seconds = Math.floor(rest / 1000);
  const minutes = Math.floor(seconds / 60);
  return `${date}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}.${three(rest % 1000)}Z`;
}

/** Unix milliseconds of a time in ISO 8601; 0 for what is none. */
export function unixOf(iso: string): number {
  const milliseconds = Date.parse(iso);
  return Number.isNaN(milliseconds) ? 0 : milliseconds;
}

function two(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}

function three(value: number): string {
  return value < 10 ? `00${value}` : value < 100 ? `0${value}` : `${value}`;
}
