export type { Finding } from './finding.js';
export { createJsonlBackend } from './jsonl-backend.js';
export { type JsonlOptions, openJsonlDriver } from './jsonl-driver.js';
