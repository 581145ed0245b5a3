import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseRoutingConfig, type RoutingConfig, RoutingConfigError } from '@x/routing';
import { normaliseAgentId } from '@x/session-scope';
import JSON5 from 'json5';
import type { ProfileSettings } from '../agent-profile.js';
import { isLoopbackHost } from '../http/host-names.js';
import { jobSettingsOf } from '../jobs/job-settings.js';
import { chooseDefaultModel, modelObstacle, type ProvidersSettings } from '../models/model-choice.js';
import { type ModelReference, PROVIDERS, parseModelReference } from '../models/model-reference.js';
import { accessTokens } from './access-tokens.js';
import { channelSettings } from './channel-settings.js';
import type { AgentSettings, Configuration } from './configuration.js';
import { ConfigurationError, type ConfigurationProblem } from './configuration-error.js';
import { agentListSchema, type ConfigurationFile, configurationFileSchema } from './configuration-file.js';
import { type Environment, environmentPort, environmentValue } from './environment.js';
import { contextSettingsOf, modelCheck, modelSettingsOf, referencesOf } from './model-settings.js';
import { schemaProblems } from './schema-problems.js';
import {
  bindingSettingsOf,
  commandSettingsOf,
  maintenanceOf,
  resetPolicyOf,
  sessionSettingsSchema,
} from './session-settings.js';
import { toolSettingsOf } from './tool-settings.js';

export interface ConfigurationPlace {
  /** The file named on the command line; `HOLDFAST_CONFIG` otherwise, else holdfast.config.json where it exists. */
  readonly file?: string | undefined;
  readonly environment: Environment;
  readonly folder: string;
}

const DEFAULT_FILE = 'holdfast.config.json';
const DEFAULT_PORT = 7420;

/** Reads the configuration. Throws `ConfigurationError` with everything that is wrong with it, at once. */
export function loadConfiguration({ file, environment, folder }: ConfigurationPlace): Configuration {
  const problems: ConfigurationProblem[] = [];
  const named = file ?? environmentValue(environment, 'HOLDFAST_CONFIG');
  const path = resolve(folder, named ?? DEFAULT_FILE);
  const text = readText(path, named !== undefined);
  const value = text === undefined ? {} : parseText(path, text);
  const routing = parseRouting(path, value, problems);
  const parsed = parseFile(path, value, problems);
  const configuration = merge(path, text === undefined, parsed, routing, environment, folder, problems);
  if (problems.length > 0) throw new ConfigurationError(problems);
  return configuration;
}

function readText(path: string, isNamed: boolean): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' && !isNamed) return undefined;
    const reason = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`;
    throw new ConfigurationError([{ source: path, path: '', message: reason }]);
  }
}

function parseText(path: string, text: string): unknown {
  try {
    return JSON5.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^JSON5: /, '') : 'not readable';
    throw new ConfigurationError([{ source: path, path: '', message: `expected JSON or JSON5: ${reason}` }]);
  }
}

function parseRouting(path: string, value: unknown, problems: ConfigurationProblem[]): RoutingConfig {
  try {
    return parseRoutingConfig(value);
  } catch (error) {
    if (!(error instanceof RoutingConfigError)) throw error;
    problems.push(
      ...error.problems.map((problem) => ({ source: path, path: problem.path, message: problem.message })),
    );
    return parseRoutingConfig({});
  }
}

/** What routing has complained about is not complained about again. */
function parseFile(path: string, value: unknown, problems: ConfigurationProblem[]): ConfigurationFile {
  const parsed = configurationFileSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const known = new Set(problems.map((problem) => problem.path));
  const further = schemaProblems(parsed.error).filter((problem) => !known.has(problem.path));
  problems.push(...further.map((problem) => ({ source: path, ...problem })));
  return {};
}

function merge(
  path: string,
  isMissing: boolean,
  parsed: ConfigurationFile,
  routing: RoutingConfig,
  environment: Environment,
  folder: string,
  problems: ConfigurationProblem[],
): Configuration {
  const besideFile = (relative: string) => resolve(dirname(path), relative);
  const providers = providersOf(parsed);
  const model = chooseDefaultModel(reference(parsed.models?.default), environment, problems);
  const agents = agentsOf(parsed);
  const session = sessionSettingsSchema.parse(parsed.session ?? {});
  const outsideHost = environmentValue(environment, 'HOLDFAST_HOST');
  // An IPv6 address is written in brackets where a port may follow it.
  const host = (outsideHost ?? parsed.gateway?.host ?? '127.0.0.1').replace(/^\[(.*)\]$/, '$1');
  const data = environmentValue(environment, 'HOLDFAST_DATA');
  const fileSource = isMissing ? '' : path;
  const tokens = accessTokens(parsed, environment, fileSource, problems);

  const obstacle = modelObstacle(model, providers, environment);
  if (obstacle !== undefined) {
    const byEnvironment = environmentValue(environment, 'HOLDFAST_MODEL') !== undefined;
    problems.push(
      byEnvironment
        ? { source: 'HOLDFAST_MODEL', path: '', message: obstacle }
        : { source: fileSource, path: 'models.default', message: obstacle },
    );
  }
  const check = modelCheck(fileSource, providers, environment, problems);
  for (const [index, agent] of agents.entries()) {
    if (agent.model) check(agent.model, `agents.list[${index}].model`);
    if (agent.lightModel) check(agent.lightModel, `agents.list[${index}].light_model`);
    for (const [place, model] of (agent.fallbackModels ?? []).entries()) {
      check(model, `agents.list[${index}].fallback_models[${place}]`);
    }
  }
  if (!isLoopbackHost(host) && tokens.length === 0) {
    problems.push({
      ...(outsideHost === undefined
        ? { source: fileSource, path: 'gateway.host' }
        : { source: 'HOLDFAST_HOST', path: '' }),
      message: `${host} can be reached by others, so the API needs a token: set HOLDFAST_TOKEN or gateway.token, or listen on 127.0.0.1`,
    });
  }

  const { kind, path: store } =
    typeof parsed.store === 'object' ? parsed.store : { kind: parsed.store ?? 'jsonl', path: undefined };
  return {
    file: isMissing ? undefined : path,
    gateway: {
      host,
      port: environmentPort(environment, problems) ?? parsed.gateway?.port ?? DEFAULT_PORT,
      tokens,
      allowedHosts: parsed.gateway?.allowed_hosts ?? [],
      requestsPerMinute: parsed.gateway?.requests_per_minute,
    },
    data:
      data !== undefined
        ? resolve(folder, data)
        : parsed.data !== undefined
          ? besideFile(parsed.data)
          : resolve(folder, 'data'),
    store: { kind, path: store === undefined ? undefined : besideFile(store) },
    model,
    providers,
    models: modelSettingsOf(parsed.models, check),
    context: contextSettingsOf(parsed.context),
    tools: toolSettingsOf(parsed.tools, {
      environment,
      source: fileSource,
      folder: dirname(path),
      besideFile,
      problems,
    }),
    agentProfiles: profileSettings(parsed.gateway, besideFile('agent')),
    steering: parsed.gateway?.steering ?? 'one-at-a-time',
    unfinishedTurns: parsed.gateway?.unfinished_turns ?? 'close',
    stepTimeoutMs: (parsed.models?.timeout_seconds ?? 120) * 1000,
    routing,
    channels: channelSettings(parsed.channels, environment, fileSource, problems),
    reset: resetPolicyOf(session, (path, message) => problems.push({ source: fileSource, path, message })),
    maintenance: maintenanceOf(session),
    threadBindings: bindingSettingsOf(session),
    chatCommands: commandSettingsOf(parsed.chat_commands),
    agentReach: session.agent_reach ?? 'none',
    jobs: jobSettingsOf(parsed.scheduler, (path, message) =>
      problems.push({ source: fileSource, path, message }),
    ),
    skills: [
      { source: 'project', path: besideFile(parsed.skills?.project ?? 'skills') },
      { source: 'user', path: besideFile(parsed.skills?.user ?? join(homedir(), '.holdfast', 'skills')) },
    ],
    agents,
  };
}

/** In force where the file says so in any way, or where there is a folder of profiles. */
function profileSettings(given: ConfigurationFile['gateway'], folder: string): ProfileSettings | undefined {
  const { agent_prompt: isWanted, agent_prompt_reinject_every: every } = given ?? {};
  const isInForce = isWanted ?? (every !== undefined || existsSync(folder));
  return isInForce ? { folder, reinjectEvery: every ?? 100 } : undefined;
}

function agentsOf(parsed: ConfigurationFile): AgentSettings[] {
  return agentListSchema.parse(parsed.agents?.list ?? []).map((agent) => ({
    id: normaliseAgentId(agent.id ?? undefined),
    isDefault: agent.default === true,
    model: reference(agent.model),
    lightModel: reference(agent.light_model),
    fallbackModels: agent.fallback_models === undefined ? undefined : referencesOf(agent.fallback_models),
    instructions: agent.instructions ?? agent.system,
  }));
}

function providersOf(parsed: ConfigurationFile): ProvidersSettings {
  const configured = parsed.models?.providers ?? {};
  return Object.fromEntries(
    PROVIDERS.map((provider) => [provider, configured[provider]] as const)
      .filter(([, settings]) => settings !== undefined)
      .map(([provider, settings]) => [
        provider,
        {
          ...(settings?.api_key_env === undefined ? {} : { apiKeyEnv: settings.api_key_env }),
          ...(settings?.base_url === undefined ? {} : { baseUrl: settings.base_url }),
        },
      ]),
  );
}

function reference(text: string | undefined): ModelReference | undefined {
  return text === undefined ? undefined : parseModelReference(text);
}
