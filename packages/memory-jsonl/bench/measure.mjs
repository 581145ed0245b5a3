import { readdirSync } from 'node:fs';

export async function elapsed(task) {
  const start = performance.now();
  await task();
  return performance.now() - start;
}

export function memory() {
  for (let n = 0; n < 3; n += 1) globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const openFiles = process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
  return { heapMb: heapUsed / 2 ** 20, residentMb: rss / 2 ** 20, openFiles };
}

/** 200 sessions at once, each appending four times and then reading its end, for so many seconds. */
export async function mixedLoad(seconds, { append, tail }) {
  const latencies = [];
  let operations = 0;
  const start = performance.now();
  const end = start + seconds * 1000;
  await Promise.all(
    Array.from({ length: 200 }, async (_, session) => {
      for (let n = 1; performance.now() < end; n += 1) {
        if (n % 5 === 0) await tail(session);
        else {
          const before = performance.now();
          await append(session, n);
          latencies.push(performance.now() - before);
        }
        operations += 1;
      }
    }),
  );
  latencies.sort((left, right) => left - right);
  return {
    value: (operations / (performance.now() - start)) * 1000,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)],
  };
}
