export { backupSqlite } from './backup-sqlite.js';
export { checkSqlite, type SqliteProblem } from './check-sqlite.js';
export type {
  Delivery,
  DeliveryChange,
  DeliveryQuery,
  DeliveryState,
  NewDelivery,
} from './deliveries/delivery.js';
export { createDeliveryStore, type DeliveryStore } from './deliveries/delivery-store.js';
export { createJobStore, type SqliteJobStore } from './jobs/job-store.js';
export { type Memory, MemoryError, type MemoryOwner } from './memories/memory.js';
export { createMemoryStore, type MemoryStore } from './memories/memory-store.js';
export {
  createPairingStore,
  type Pairing,
  type PairingState,
  type PairingStore,
} from './pairings/pairing-store.js';
export {
  createSkillEventStore,
  type NewSkillEvent,
  type SkillEvent,
  type SkillEventStore,
} from './skill-events/skill-event-store.js';
export { createSqliteBackend } from './sqlite-backend.js';
export { openSqliteDriver, type SqliteOptions } from './sqlite-driver.js';
export { openSqliteFile, type SqliteFile, type SqliteFileOptions } from './sqlite-file.js';
