export type {
  Appended,
  Capabilities,
  Cut,
  Ensured,
  ExportEntry,
  ImportReport,
  Lease,
  LeaseRequest,
  ListQuery,
  Promotion,
  ReadRange,
  RefusedAlias,
  ResetOptions,
  SearchHit,
  SearchPage,
  SearchQuery,
  SessionBackend,
  SessionPage,
  WriteGuard,
} from './backend.js';
export { type BackendOptions, defineBackend } from './define-backend.js';
export type {
  Change,
  Found,
  LeaseDriver,
  Need,
  PagePlace,
  PageQuery,
  ScanRange,
  SessionDriver,
  SessionNames,
} from './driver.js';
export {
  AliasConflict,
  InvalidKey,
  InvalidMessage,
  LeaseLost,
  MessageTooLarge,
  SessionNotFound,
  SessionStoreError,
  StoreClosed,
  StoreCorrupt,
  StoreFailed,
  StoreFull,
  StoreLocked,
  Unsupported,
} from './errors.js';
export { createMemoryBackend } from './memory-backend.js';
export { createMemoryDriver } from './memory-driver.js';
export {
  type ContentPart,
  isThought,
  type JsonValue,
  type Message,
  messageOrigin,
  messageSchema,
  messageText,
  type Role,
  type StoredMessage,
  type ToolCall,
  type Usage,
} from './message.js';
export { pageOf } from './page.js';
export { afterAppend, newMeta } from './session-fold.js';
export type { Bin, Segment, SessionFacts, SessionMeta } from './session-meta.js';
export {
  createSessionStore,
  type FailedWrite,
  type SessionStore,
  type SessionStoreOptions,
} from './session-store.js';
