export { conformance } from './conformance.js';
export type { Subject, Trial } from './subject.js';
