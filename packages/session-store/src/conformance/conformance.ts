import { defineBackend } from '../define-backend.js';
import { runCase } from './case.js';
import { cases } from './cases.js';
import type { Subject } from './subject.js';

/**
 * Puts every promise of the contract to a store: a test for each, on a store of its own, in any order. What a store
 * cannot do stands in its `capabilities`, and there is no other way to leave a promise out.
 */
export function conformance(subject: Subject): void {
  for (const each of cases) subject.test(each.promise, () => runCase(subject, each, defineBackend));
}
