export { jobStoreConformance } from './conformance.js';
export type { JobStoreSubject, JobStoreTrial } from './subject.js';
