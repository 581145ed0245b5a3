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
