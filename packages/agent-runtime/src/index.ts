export {
  type AgentPrompt,
  type AgentSpec,
  defineTool,
  type SubTurnRequest,
  type SubTurnResult,
  type SubTurns,
  type SystemContext,
  type Tool,
  type ToolContext,
} from './agent.js';
export type { AgentModel } from './agent-model.js';
export type {
  ActiveTurn,
  AgentRuntime,
  AgentRuntimeOptions,
  RecoveredTurn,
  RuntimeLimits,
} from './agent-runtime.js';
export type { ContextSettings } from './context/context-settings.js';
export {
  type SessionToSummarise,
  type SummarisedSession,
  summariseSession,
} from './context/summarise-session.js';
export { SUMMARY_INSTRUCTIONS } from './context/summary-request.js';
export { createEphemeralSessionStore } from './ephemeral-session-store.js';
export { AgentRuntimeError } from './errors.js';
export { createFileJournal } from './file-journal.js';
export { type ModelPrompt, modelMessages } from './model-messages.js';
export { type OpenedStore, openWithFallback, type StoreStart } from './open-with-fallback.js';
export { createAgentRuntime } from './runtime.js';
export type { RuntimeLogger } from './runtime-logger.js';
export { createSpawnTool, type SpawnToolOptions } from './spawn-tool.js';
export type { SteeringMode } from './steering-queue.js';
export type { Permission, PermissionRequest } from './tools/permission.js';
export type { Turn, TurnInput, TurnRequest, TurnSession } from './turn.js';
export type { TurnEvent } from './turn-event.js';
export type { OpenTurn, TurnJournal } from './turn-journal.js';
export type { TurnFailure, TurnOutcome, TurnStatus } from './turn-outcome.js';
export { type TurnState, turnState } from './turn-state.js';
export type { StopMode } from './turn-stopping.js';
export { type ModelPrice, type StepUsage, sessionUsage } from './usage.js';
