import type { RoutingProblem } from './errors.js';

/** A problem, and what a lenient reading does about it. */
export interface Finding extends RoutingProblem {
  readonly remedy: string;
}

/** Takes what a reading finds wrong. */
export type Report = (finding: Finding) => void;

/** As a sentence beside a result that was reached all the same. */
export function asWarning({ path, message, remedy }: Finding): string {
  return `${path}: ${message} ${remedy}`;
}

/** A list of words in a sentence. */
export function listed(words: readonly string[]): string {
  return words.length === 0 ? 'none' : words.join(', ');
}
