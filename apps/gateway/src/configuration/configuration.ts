import type { ContextSettings, SteeringMode } from '@x/agent-runtime';
import type { RoutingConfig } from '@x/routing';
import type { ResetPolicy } from '@x/session-store/policies';
import type { ProfileSettings } from '../agent-profile.js';
import type { JobSettings } from '../jobs/job-settings.js';
import type { ProvidersSettings } from '../models/model-choice.js';
import type { ModelReference } from '../models/model-reference.js';
import type { SessionReach } from '../session-tools/session-reach.js';
import type { SkillFolder } from '../skills/skill-folders.js';
import type { ChannelSettings } from './channel-settings.js';
import type { ModelSettings } from './model-settings.js';
import type { BindingSettings, CommandSettings, MaintenanceSettings } from './session-settings.js';
import type { ToolSettings } from './tool-settings.js';

/** The configuration in force: file and environment taken together, all defaults filled in, all paths absolute. */
export interface Configuration {
  /** The file it came from; undefined where there is none. */
  readonly file: string | undefined;
  readonly gateway: {
    readonly host: string;
    /** 0 for any free one. */
    readonly port: number;
    /** Empty: whoever reaches the gateway may do everything. */
    readonly tokens: readonly AccessToken[];
    readonly allowedHosts: readonly string[];
    /** How many requests each token may make; undefined for any number. */
    readonly requestsPerMinute: number | undefined;
  };
  /** The data folder. */
  readonly data: string;
  /** Without a path: at its usual place in the data folder. */
  readonly store: { readonly kind: 'jsonl' | 'sqlite'; readonly path: string | undefined };
  readonly model: ModelReference;
  readonly providers: ProvidersSettings;
  readonly models: ModelSettings;
  readonly context: ContextSettings;
  readonly tools: ToolSettings;
  /** Undefined: agents have none. */
  readonly agentProfiles: ProfileSettings | undefined;
  readonly steering: SteeringMode;
  readonly unfinishedTurns: 'close' | 'resume';
  /** Silence of a model after which a turn fails. */
  readonly stepTimeoutMs: number;
  readonly routing: RoutingConfig;
  /** When conversations begin anew by themselves. */
  readonly reset: ResetPolicy;
  readonly maintenance: MaintenanceSettings;
  readonly threadBindings: BindingSettings;
  readonly chatCommands: CommandSettings;
  /** Which sessions the tools of agents may see. */
  readonly agentReach: SessionReach;
  readonly jobs: JobSettings;
  readonly channels: readonly ChannelSettings[];
  /** Where skills are looked for, in this order. */
  readonly skills: readonly SkillFolder[];
  /** In the order of the file. Empty where it lists none: then `main` answers. */
  readonly agents: readonly AgentSettings[];
}

/** What a token may do: look at everything, speak, or change and configure (which includes the others). */
export type Scope = 'read' | 'chat' | 'admin';

export interface AccessToken {
  /** Who holds it, as logs and the audit say. */
  readonly name: string;
  readonly token: string;
  readonly scopes: readonly Scope[];
}

export interface AgentSettings {
  readonly id: string;
  readonly isDefault: boolean;
  readonly model: ModelReference | undefined;
  /** Undefined: as for all agents. */
  readonly lightModel: ModelReference | undefined;
  readonly fallbackModels: readonly ModelReference[] | undefined;
  readonly instructions: string | undefined;
}
