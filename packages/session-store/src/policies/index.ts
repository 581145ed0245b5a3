export { dailyBoundary, isTimeZone } from './daily-boundary.js';
export { type ResetRule, type StaleReason, staleReason } from './freshness.js';
export {
  type MaintenanceOptions,
  type MaintenanceReport,
  maintainSessions,
} from './maintain.js';
export {
  isPinned,
  type MaintenanceFacts,
  type MaintenanceLimits,
  type MaintenancePlan,
  type MaintenanceStep,
  planMaintenance,
  type Spared,
} from './maintenance-plan.js';
export { type ChatKind, chatKind, dueReset, type ResetPolicy, resetRule } from './reset-policy.js';
