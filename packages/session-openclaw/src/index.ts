export { type WrittenOutcome, writeOpenclawFolder } from './export/export-folder.js';
export type { Finding, FindingCode } from './finding.js';
export { type IndexEntries, type IndexUpdateOptions, updateIndex } from './index-file.js';
export { createOpenclawBackend } from './openclaw-backend.js';
export { type OpenclawOptions, openOpenclawDriver } from './openclaw-driver.js';
