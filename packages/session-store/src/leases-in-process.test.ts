import { expect, it } from 'vitest';
import { createLeasesInProcess } from './leases-in-process.js';

it('leases that ran out and were never released are let go of, the oldest first; running ones never', async () => {
  let time = 0;
  const leases = createLeasesInProcess(() => time, 3);
  const short = await leases.grant('short', 'a', 10);
  for (const key of ['b', 'c', 'd']) await leases.grant(key, 'a', 1000);
  expect(leases.holds('short', short ?? 0)).toBe(true);
  time = 20;
  await leases.grant('e', 'a', 1000);
  expect(leases.holds('short', short ?? 0)).toBe(false);
  expect(await leases.renew('short', short ?? 0, 10)).toBe(false);
  for (const [index, key] of ['b', 'c', 'd', 'e'].entries()) expect(leases.holds(key, 2 + index)).toBe(true);
});
