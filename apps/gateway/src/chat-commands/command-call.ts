import type { AgentRuntime } from '@x/agent-runtime';
import type { Router } from '@x/routing';
import type { InboundContext, ScopePolicy } from '@x/session-scope';
import type { SessionBackend, SessionMeta } from '@x/session-store';
import type { ResetPolicy } from '@x/session-store/policies';
import type { Agents } from '../agents.js';
import type { BindingSettings, CommandSettings } from '../configuration/session-settings.js';
import type { LiveFeed } from '../live-feed.js';
import type { SessionGate } from '../session-gate.js';
import type { BindingStore } from '../thread-bindings/binding-store.js';

/** What commands work with. */
export interface CommandHouse {
  readonly backend: SessionBackend;
  readonly runtime: AgentRuntime;
  readonly router: Router;
  readonly agents: Agents;
  readonly feed: LiveFeed;
  readonly bindings: BindingStore;
  readonly gate: SessionGate;
  readonly clock: () => Date;
  readonly configuration: {
    readonly reset: ResetPolicy;
    readonly chatCommands: CommandSettings;
    readonly threadBindings: BindingSettings;
  };
}

/** One command as it was given, in the session it was given in. */
export interface CommandCall {
  readonly house: CommandHouse;
  readonly session: SessionMeta;
  readonly agentId: string;
  readonly context: InboundContext;
  readonly policy: ScopePolicy;
  /** The surface named the session itself: no binding of the place leads its messages elsewhere. */
  readonly isNamed: boolean;
  /** What stands behind the command. */
  readonly rest: string;
  /** What the agent answers without being asked is for commands that it declares itself; these are its names. */
  readonly agentCommands: readonly string[];
}

/** What a command comes to. */
export interface CommandOutcome {
  readonly answer: string;
  /** Done once the answer is stored: what closes the segment must not close it before. */
  readonly finish?: () => Promise<void>;
  /** What the person says to the agent with the same message. */
  readonly firstWords?: string;
}

export interface ChatCommand {
  readonly name: string;
  /** How it is written, and what it does: a line of `/help`. */
  readonly usage: string;
  readonly summary: string;
  /** Whether it changes what a group shares; asked with what stands behind it. */
  readonly changes: (rest: string) => boolean;
  /** It closes the segment: no message may come in between. */
  readonly closesSegment?: true;
  run(call: CommandCall): Promise<CommandOutcome>;
}
