import type { JsonValue, SessionMeta } from '@x/session-store';
import type { z } from 'zod';
import type { AgentModel } from './agent-model.js';
import type { ContextSettings } from './context/context-settings.js';
import type { SteeringMode } from './steering-queue.js';
import type { Permission, PermissionRequest } from './tools/permission.js';
import type { TurnStatus } from './turn-outcome.js';

/** Who answers: the words, the model and the tools of a turn. */
export interface AgentSpec extends AgentModel {
  readonly id: string;
  /** The system prompt, or what makes it for this turn. */
  readonly system: string | ((context: SystemContext) => string | Promise<string>);
  /** Answers turns that ask little of a model, in place of the agent's own; see `chooseModel` of `@x/routing`. */
  readonly light?: AgentModel & {
    /** Turns that score at least this much are for the agent's own model, 0–1. Default 0.35. */
    readonly threshold?: number;
  };
  /** Asked in this order where a model fails before it has shown a word. */
  readonly fallbacks?: readonly AgentModel[];
  readonly context?: ContextSettings;
  /** A profile that is kept in the session itself, beside `system`, which is not. */
  readonly prompt?: AgentPrompt;
  /** How many of the messages that come while a turn runs join it at one point. Default `one-at-a-time`. */
  readonly steering?: SteeringMode;
  readonly tools: readonly Tool[];
  /** Judges each call before it is run. Without it, all are allowed. */
  readonly permit?: (request: PermissionRequest) => Permission | Promise<Permission>;
  /** Model calls for one message before the turn ends with `step_limit`. Default 20. */
  readonly maxSteps?: number;
  /** Time after which a turn fails with `turn_timeout`. Default 3,600,000. */
  readonly turnTimeoutMs?: number;
  /** Silence of the model, without any event, after which a step fails with `model_timeout`. Default 120,000. */
  readonly stepTimeoutMs?: number;
  /** Time after which a tool's call is given up with an error result. Default 300,000. */
  readonly toolTimeoutMs?: number;
}

/** The agent's profile: kept in the session as a message, unlike `system`, so that what it was stays on record. */
export interface AgentPrompt {
  /** The profile as it is now; undefined or blank where there is none. A rejection is a warning, and the turn goes on. */
  readonly read: () => Promise<string | undefined>;
  /** User turns after which it is given again, read anew; 0: never. Default 100. */
  readonly reinjectEvery?: number;
}

export interface SystemContext {
  readonly session: SessionMeta;
  readonly turnId: string;
  readonly now: Date;
}

/** Something the model may call. Make one with {@link defineTool}, which types `execute` by the schema. */
export interface Tool {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  readonly description: string;
  /** Judges the arguments. What JSON Schema cannot say (dates, transforms of the input side) cannot be sent to a model. */
  readonly inputSchema: z.ZodType;
  /** What the model is sent in place of `inputSchema`, for tools whose schema comes from elsewhere. */
  readonly inputJsonSchema?: { readonly [name: string]: JsonValue };
  /** It changes nothing that another call could notice: neighbouring calls of such tools run side by side. */
  readonly runsBesideOthers?: boolean;
  /** Default: the agent's `toolTimeoutMs`. */
  readonly timeoutMs?: number;
  /** What is longer is cut, with a note. Default 1,000,000. */
  readonly maxOutputCharacters?: number;
  /** The parsed arguments in, the result for the model out. A rejection becomes an error result; the turn goes on. */
  execute(input: unknown, context: ToolContext): Promise<string | JsonValue>;
}

export interface ToolContext {
  readonly sessionKey: string;
  readonly turnId: string;
  /** What the agent has. Like `subTurns`, there wherever a turn calls the tool. */
  readonly tools?: readonly Tool[];
  /** Gives tasks to turns of their own. */
  readonly subTurns?: SubTurns;
  /** Aborts when the turn is stopped or the call took too long. A tool that ignores it is not waited for. */
  readonly signal: AbortSignal;
}

/** A task for a turn of its own, within the one that runs. */
export interface SubTurnRequest {
  readonly task: string;
  /** Default: the agent's. */
  readonly system?: string;
  /** Default: the agent's. */
  readonly tools?: readonly Tool[];
  /** Default: the agent's. */
  readonly model?: AgentModel;
  /** It goes on where the turn ends well before it. Default false. */
  readonly isCritical?: boolean;
  /** Default 300,000. */
  readonly timeoutMs?: number;
}

export interface SubTurnResult {
  readonly id: string;
  readonly status: TurnStatus;
  /** What it answered, or why it did not. */
  readonly text: string;
}

/** The turns within a turn. Their words stay in stores of their own; what reaches the session is the result alone. */
export interface SubTurns {
  /** Waits for the result. Rejects with a sentence where there is no room, or the nesting is too deep. */
  run(request: SubTurnRequest, signal?: AbortSignal): Promise<SubTurnResult>;
  /** Does not wait: the result joins the turn at its next point, as `[SubTurn Result]`. Returns its id. */
  start(request: SubTurnRequest): string;
}

export function defineTool<Schema extends z.ZodType>(
  tool: Omit<Tool, 'inputSchema' | 'execute'> & {
    readonly inputSchema: Schema;
    readonly execute: (input: z.output<Schema>, context: ToolContext) => Promise<string | JsonValue>;
  },
): Tool {
  return { ...tool, execute: (input, context) => tool.execute(input as z.output<Schema>, context) };
}
