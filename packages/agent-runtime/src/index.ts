export { type AgentSpec, defineTool, type SystemContext, type Tool, type ToolContext } from './agent.js';
export type { AgentModel } from './agent-model.js';
export type {
  ActiveTurn,
  AgentRuntime,
  AgentRuntimeOptions,
  RecoveredTurn,
  RuntimeLimits,
  RuntimeLogger,
} from './agent-runtime.js';
export type { ContextSettings } from './context/context-settings.js';
export { SUMMARY_INSTRUCTIONS } from './context/summary-request.js';
export { AgentRuntimeError } from './errors.js';
export { createFileJournal } from './file-journal.js';
export { type ModelPrompt, modelMessages } from './model-messages.js';
export { type OpenedStore, openWithFallback, type StoreStart } from './open-with-fallback.js';
export { createAgentRuntime } from './runtime.js';
export type { Permission, PermissionRequest } from './tools/permission.js';
export type { Turn, TurnInput, TurnRequest, TurnSession } from './turn.js';
export type { TurnEvent } from './turn-event.js';
export type { OpenTurn, TurnJournal } from './turn-journal.js';
export type { TurnFailure, TurnOutcome, TurnStatus } from './turn-outcome.js';
export { type TurnState, turnState } from './turn-state.js';
export { type ModelPrice, type StepUsage, sessionUsage } from './usage.js';
