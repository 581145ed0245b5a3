/**
 * Invariant: in one lane at most one job runs, in the order of `enqueue`; over all lanes at most `parallel` run,
 * and lanes take turns. A lane is reserved within `enqueue`, and is left in the same tick in which it is found empty.
 */
export interface TurnLanes {
  /** The job must not reject. */
  enqueue(lane: string, job: () => Promise<void>): void;
  /** Jobs of the lane that wait behind its first. */
  waiting(lane: string): number;
}

export function createTurnLanes(parallel: number): TurnLanes {
  /** The first job of each lane runs, or waits in `ready` for room. */
  const lanes = new Map<string, (() => Promise<void>)[]>();
  const ready: string[] = [];
  let running = 0;

  function startWhatFits(): void {
    while (running < parallel) {
      const lane = ready.shift();
      if (lane === undefined) return;
      running += 1;
      const job = lanes.get(lane)?.[0];
      void Promise.resolve(job?.()).finally(() => leave(lane));
    }
  }

  function leave(lane: string): void {
    running -= 1;
    const jobs = lanes.get(lane);
    jobs?.shift();
    if (jobs === undefined || jobs.length === 0) lanes.delete(lane);
    else ready.push(lane);
    startWhatFits();
  }

  return {
    enqueue(lane, job) {
      const jobs = lanes.get(lane);
      if (jobs !== undefined) {
        jobs.push(job);
        return;
      }
      lanes.set(lane, [job]);
      ready.push(lane);
      startWhatFits();
    },
    waiting: (lane) => Math.max(0, (lanes.get(lane)?.length ?? 0) - 1),
  };
}
