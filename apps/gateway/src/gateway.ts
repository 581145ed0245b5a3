import { type AgentRuntime, createAgentRuntime, createFileJournal, createSpawnTool } from '@x/agent-runtime';
import { createRouter, type Router } from '@x/routing';
import {
  createDeliveryStore,
  createJobStore,
  createMemoryStore,
  createPairingStore,
  createSkillEventStore,
  type DeliveryStore,
  type MemoryStore,
  type PairingStore,
  type SkillEventStore,
  type SqliteFile,
} from '@x/session-sqlite';
import type { SessionBackend } from '@x/session-store';
import { type Agents, openAgents } from './agents.js';
import { type AuditLog, createAuditLog } from './audit/audit-log.js';
import { type ChannelHouse, createChannelHouse } from './channels/channel-house.js';
import { openChannel } from './channels/open-channel.js';
import type { Configuration } from './configuration/configuration.js';
import { type DataLayout, dataLayout } from './configuration/data-layout.js';
import type { Environment } from './configuration/environment.js';
import { makeDataFolder } from './data-folder.js';
import { type GatewayJobs, openJobs } from './jobs/gateway-jobs.js';
import { createLiveFeed, type LiveFeed } from './live-feed.js';
import type { Log } from './log.js';
import { createSessionGate, type SessionGate } from './session-gate.js';
import { modelAsked } from './session-model.js';
import { sessionTools } from './session-tools/session-tools.js';
import { createSkills, type Skills } from './skills/skills.js';
import { openStores } from './stores/open-stores.js';
import { type BindingStore, openBindingStore } from './thread-bindings/binding-store.js';
import { type ConfiguredTools, openConfiguredTools } from './tools/configured-tools.js';
import { currentTimeTool } from './tools/current-time.js';
import { memoryTools } from './tools/memory-tools.js';
import { schedulerManageTool } from './tools/scheduler-manage.js';
import { skillTools } from './tools/skill-tools.js';

/** Everything that answers, wired together once. Surfaces (HTTP, terminal) stand on it. */
export interface Gateway {
  readonly configuration: Configuration;
  readonly layout: DataLayout;
  readonly backend: SessionBackend;
  /** The database of all that is kept beside the sessions. */
  readonly operations: SqliteFile;
  readonly memories: MemoryStore;
  readonly skills: Skills;
  readonly skillEvents: SkillEventStore;
  readonly deliveries: DeliveryStore;
  readonly pairings: PairingStore;
  /** At work from `channels.start` on. */
  readonly channels: ChannelHouse;
  /** Run from `jobs.start` on. */
  readonly jobs: GatewayJobs;
  readonly router: Router;
  readonly agents: Agents;
  readonly runtime: AgentRuntime;
  readonly feed: LiveFeed;
  readonly gate: SessionGate;
  readonly bindings: BindingStore;
  readonly clock: () => Date;
  readonly audit: AuditLog;
  readonly log: Log;
  readonly startedAt: Date;
  /** Running turns get `graceMs`, then end as interrupted; then the store is closed. */
  close(options: { readonly graceMs: number }): Promise<void>;
}

/** A turn mostly waits for its model, so that many fit into one process. */
const PARALLEL_TURNS = 64;

/**
 * Opens the store (`StoreLocked` where another process has it) and the models, and closes what turns an earlier
 * run left open.
 */
export async function openGateway(
  configuration: Configuration,
  environment: Environment,
  log: Log,
  clock: () => Date = () => new Date(),
): Promise<Gateway> {
  const layout = dataLayout(configuration);
  makeDataFolder(configuration.data, layout.turns);
  const stores = await openStores(layout, log);
  const { backend, operations } = stores;
  let configured: ConfiguredTools | undefined;
  try {
    const given = await openConfiguredTools(configuration.tools, backend, log);
    configured = given;
    const memories = createMemoryStore(operations, clock);
    const skillEvents = createSkillEventStore(operations, clock);
    const skills = createSkills(configuration.skills, skillEvents, log);
    // What is there is noted now, and what cannot be used is told now.
    await skills.index();
    const jobs = openJobs({
      store: createJobStore(operations),
      settings: configuration.jobs,
      log,
      house: () => gateway,
    });
    const tools = [
      currentTimeTool(clock),
      createSpawnTool(),
      schedulerManageTool(jobs, backend, configuration.jobs),
      ...sessionTools(configuration.agentReach, () => gateway),
      ...given.tools,
    ];
    const agents = await openAgents(
      configuration,
      environment,
      (agentId) => [...tools, ...memoryTools(memories, agentId), ...skillTools(skills, agentId)],
      skills.index,
      given.permit,
    );
    const runtime = createAgentRuntime({
      backend,
      journal: createFileJournal(layout.turns),
      clock,
      logger: log,
      limits: { parallelTurns: PARALLEL_TURNS },
      unfinishedTurns: configuration.unfinishedTurns,
      agents: (agentId, meta) => agents.get(agentId, modelAsked(meta)),
    });
    for (const { goesOn, ...turn } of await runtime.recover()) {
      if (turn.interrupted) log.warn(turn, 'A turn was cut off when the gateway last ended.');
      if (goesOn !== undefined) log.info(turn, 'What waited for an answer is answered now.');
    }
    const feed = createLiveFeed({
      runtime,
      backend,
      onError: (error) => log.error({ err: error }, 'A live update failed.'),
    });
    const parts = {
      configuration,
      layout,
      backend,
      operations,
      memories,
      skills,
      skillEvents,
      deliveries: createDeliveryStore(operations, clock),
      pairings: createPairingStore(operations, clock),
      jobs,
      router: createRouter(configuration.routing),
      agents,
      runtime,
      feed,
      gate: createSessionGate(),
      bindings: openBindingStore(layout.bindings, clock),
      clock,
      audit: createAuditLog(layout.audit),
      log,
      startedAt: clock(),
    };
    const channels = createChannelHouse({
      ...parts,
      channels: await Promise.all(
        configuration.channels.map(async (settings) => ({
          channel: await openChannel(settings, clock),
          settings,
        })),
      ),
    });
    const gateway: Gateway = {
      ...parts,
      channels,
      async close({ graceMs }) {
        await channels.pause();
        // Turns of jobs end with the others, and then the jobs take down how.
        await Promise.all([jobs.stop({ graceMs }), runtime.close({ graceMs })]);
        await channels.close();
        feed.close();
        await given.close();
        await stores.close();
      },
    };
    return gateway;
  } catch (error) {
    await configured?.close();
    await stores.close();
    throw error;
  }
}
