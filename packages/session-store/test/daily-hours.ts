import { Temporal } from 'temporal-polyfill';

/** Every instant, ascending, at which a day of these has its hour: by a calculation that shares nothing with ours. */
export function dailyHours(hour: number, timeZone: string, from: string, days: number): number[] {
  const first = Temporal.PlainDate.from(from).subtract({ days: 3 });
  return Array.from(
    { length: days + 6 },
    (_, day) =>
      first
        .add({ days: day })
        .toPlainDateTime({ hour })
        .toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds,
  ).toSorted((one, other) => one - other);
}
