export { conformance } from './conformance.js';
export { conformanceModel, type ModelOptions } from './conformance-model.js';
export type { Subject, Trial } from './subject.js';
