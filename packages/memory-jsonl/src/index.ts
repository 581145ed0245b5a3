export type { FolderProblem } from './doctor/folder-problem.js';
export { type FolderCounts, type InspectOptions, inspectJsonl } from './doctor/inspect.js';
export { type Mending, mendJsonl } from './doctor/mend.js';
export type { Finding } from './finding.js';
export { createJsonlBackend } from './jsonl-backend.js';
export { type JsonlOptions, openJsonlDriver } from './jsonl-driver.js';
export { holdsLegacySessions, legacyHoldsEverything } from './legacy/legacy-folder.js';
export { openLegacyBackend, openLegacyJsonStore } from './legacy/legacy-store.js';
export {
  type LegacyCopy,
  type LegacyMigration,
  type LegacyProblem,
  migrateFromJson,
} from './legacy/migration.js';
export { type Sealing, sealMigration } from './legacy/seal.js';
