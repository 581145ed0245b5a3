const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' });
const dayAndMonth = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const fullDay = new Intl.DateTimeFormat(undefined, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});
const dayMs = 24 * 60 * 60 * 1000;

export function clockTime(iso: string): string {
  return clock.format(new Date(iso));
}

/** Today's times as a clock, the last days by weekday, older ones by date. */
export function shortTime(iso: string, now: Date): string {
  const time = new Date(iso);
  if (time.toDateString() === now.toDateString()) return clock.format(time);
  if (now.getTime() - time.getTime() < 6 * dayMs) return weekday.format(time);
  return dayAndMonth.format(time);
}

/** "Today", "Yesterday", or the date in full. */
export function dayName(iso: string, now: Date): string {
  const time = new Date(iso);
  if (time.toDateString() === now.toDateString()) return 'Today';
  if (time.toDateString() === new Date(now.getTime() - dayMs).toDateString()) return 'Yesterday';
  return fullDay.format(time);
}
