import type { RuntimeLogger } from './runtime-logger.js';
import type { TurnJournal } from './turn-journal.js';

/*
 * What others hand in, made to keep its word: a turn that they broke would never end, and its session would never
 * run another.
 */

/** A logger that never throws: whoever reports a failure must not fail by it. */
export function quietLogger(logger: RuntimeLogger | undefined): RuntimeLogger {
  return {
    warn(facts, sentence) {
      try {
        logger?.warn(facts, sentence);
      } catch {
        // There is nobody left to tell.
      }
    },
  };
}

/** A journal that rejects where it would throw, and whose `progress` never throws. */
export function steadyJournal(journal: TurnJournal | undefined, logger: RuntimeLogger): TurnJournal {
  return {
    begin: async (turn) => journal?.begin(turn),
    progress(turnId, partial) {
      try {
        journal?.progress(turnId, partial);
      } catch (error) {
        logger.warn({ turnId, error }, 'The journal did not take a piece of an answer.');
      }
    },
    end: async (turnId) => journal?.end(turnId),
    open: async () => (await journal?.open()) ?? [],
  };
}
