import type { Capabilities } from '../backend.js';
import { type Bench, type MakeBackend, openBench } from './bench.js';
import { proving } from './claim.js';
import type { Subject } from './subject.js';

/** One promise of the contract, and how it is shown. Needs no other case, and leaves nothing behind. */
export interface Case {
  /** The promise as a sentence; the name of the test and the beginning of its failure. */
  readonly promise: string;
  /** Whether a store with these capabilities makes this promise. Default: every store does. */
  readonly when?: (capabilities: Capabilities) => boolean;
  show(bench: Bench): Promise<void>;
}

/** Shows one case on a store of its own, and looks again after a reopening where the store is durable. */
export async function runCase(
  subject: Pick<Subject, 'create'>,
  { promise, when, show }: Case,
  make: MakeBackend,
): Promise<void> {
  const bench = await openBench(subject, make);
  try {
    if (when?.(bench.capabilities) !== false) {
      await proving(promise, async () => {
        await show(bench);
        await bench.checkReopened();
      });
    }
  } catch (broken) {
    // What is left of a store that broke its promise may not close either; the promise is the news.
    await bench.clearAway().catch(() => {});
    throw broken;
  }
  await proving(promise, () => bench.clearAway());
}
