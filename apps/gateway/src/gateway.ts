import { type AgentRuntime, createAgentRuntime, createFileJournal } from '@x/agent-runtime';
import { createRouter, type Router } from '@x/routing';
import type { SqliteFile } from '@x/session-sqlite';
import type { SessionBackend } from '@x/session-store';
import { type Agents, openAgents } from './agents.js';
import { type AuditLog, createAuditLog } from './audit/audit-log.js';
import type { Configuration } from './configuration/configuration.js';
import { type DataLayout, dataLayout } from './configuration/data-layout.js';
import type { Environment } from './configuration/environment.js';
import { makeDataFolder } from './data-folder.js';
import { createLiveFeed, type LiveFeed } from './live-feed.js';
import type { Log } from './log.js';
import { createSessionGate, type SessionGate } from './session-gate.js';
import { openStores } from './stores/open-stores.js';
import { type BindingStore, openBindingStore } from './thread-bindings/binding-store.js';
import { currentTimeTool } from './tools/current-time.js';
import { sessionNoteTools } from './tools/session-notes.js';

/** Everything that answers, wired together once. Surfaces (HTTP, terminal) stand on it. */
export interface Gateway {
  readonly configuration: Configuration;
  readonly layout: DataLayout;
  readonly backend: SessionBackend;
  /** The database of all that is kept beside the sessions. */
  readonly operations: SqliteFile;
  readonly router: Router;
  readonly agents: Agents;
  readonly runtime: AgentRuntime;
  readonly feed: LiveFeed;
  readonly audit: AuditLog;
  readonly gate: SessionGate;
  readonly bindings: BindingStore;
  readonly clock: () => Date;
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
): Promise<Gateway> {
  clock: () => Date = () => new Date(),
  const layout = dataLayout(configuration);
  makeDataFolder(configuration.data, layout.turns);
  const stores = await openStores(layout, log);
  const { backend, operations } = stores;
  try {
    const tools = [currentTimeTool(clock), ...sessionNoteTools(backend, clock)];
    const agents = await openAgents(configuration, environment, tools);
    const runtime = createAgentRuntime({
      backend,
      journal: createFileJournal(layout.turns),
      clock,
      logger: log,
      limits: { parallelTurns: PARALLEL_TURNS },
    });
    for (const turn of await runtime.recover()) {
      if (turn.interrupted) log.warn(turn, 'A turn was cut off when the gateway last ended.');
    }
    const feed = createLiveFeed({
      runtime,
      backend,
      onError: (error) => log.error({ err: error }, 'A live update failed.'),
    });
    return {
      configuration,
      layout,
      backend,
      operations,
      router: createRouter(configuration.routing),
      agents,
      runtime,
      feed,
      audit: createAuditLog(layout.audit),
      log,
      startedAt: clock(),
      async close({ graceMs }) {
        await runtime.close({ graceMs });
        feed.close();
      gate: createSessionGate(),
      bindings: openBindingStore(layout.bindings, clock),
      clock,
        await stores.close();
      },
    };
  } catch (error) {
    await stores.close();
    throw error;
  }
}
