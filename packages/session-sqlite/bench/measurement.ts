/** One line of the outcome: what ours and the limit took, and their ratio, the medians of some rounds. */
export interface Measurement {
  readonly workload: string;
  readonly unit: 'ms' | 'µs' | '/s';
  readonly ours: readonly number[];
  readonly limit: readonly number[];
}

export async function timed(task: () => unknown): Promise<number> {
  const began = performance.now();
  await task();
  return performance.now() - began;
}

/** Ours and the limit in turn, so that what else the machine does hits both. */
export async function inTurn(
  rounds: number,
  ours: () => Promise<number>,
  limit: () => Promise<number>,
): Promise<Pick<Measurement, 'ours' | 'limit'>> {
  const outcome = { ours: [] as number[], limit: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    outcome.ours.push(await ours());
    outcome.limit.push(await limit());
  }
  return outcome;
}

/** `A  appends …  ours 4,000/s  limit 4,200/s  0.95 ×`: for rates above 1 is better, for times below. */
export function lineOf({ workload, unit, ours, limit }: Measurement): string {
  const [mine, best] = [median(ours), median(limit)];
  const shown = (value: number) =>
    `${value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 })} ${unit}`;
  return `${workload.padEnd(58)} ours ${shown(mine).padStart(11)}   raw ${shown(best).padStart(11)}   ${(mine / best).toFixed(2)} ×`;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
