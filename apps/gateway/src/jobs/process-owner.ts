import { hostname } from 'node:os';

/** This process as others see it in a job's claim: machine, process and the moment it began. */
export const processOwner = `${hostname()}/${process.pid}/${Math.round(performance.timeOrigin)}`;

/** Whether the process of a claim has ended, as far as this machine can tell. */
export function isProcessGone(owner: string): boolean {
  if (owner === processOwner) return false;
  const [, host, pid] = /^(.*)\/(\d+)\/\d+$/.exec(owner) ?? [];
  if (host !== hostname() || pid === undefined) return false;
  // The number is this process's own by now: it was given a second time.
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
