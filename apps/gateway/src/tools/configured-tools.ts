import { mkdirSync } from 'node:fs';
import type { AgentSpec, Tool } from '@x/agent-runtime';
import type { SessionBackend } from '@x/session-store';
import { permissionOf, type ToolSettings } from '../configuration/tool-settings.js';
import type { Log } from '../log.js';
import type { McpServer } from './mcp-server.js';
import { sessionSearchTool } from './session-search.js';
import { webFetchTool } from './web-fetch.js';
import { workspaceTools } from './workspace-files.js';

/** What the block `tools` of the configuration gives all agents, and what it allows them. */
export interface ConfiguredTools {
  readonly tools: readonly Tool[];
  /** Tools of servers are asked for where they may change something, all others allowed, unless it is said otherwise. */
  readonly permit: NonNullable<AgentSpec['permit']>;
  close(): Promise<void>;
}

/** A server that cannot be reached is told, and its tools are missing: the gateway starts all the same. */
export async function openConfiguredTools(
  settings: ToolSettings,
  backend: SessionBackend,
  log: Log,
): Promise<ConfiguredTools> {
  if (settings.files !== undefined) mkdirSync(settings.files, { recursive: true });
  const servers = await openServers(settings, log);
  const lent = servers.flatMap(({ tools }) => tools);
  const changing = new Set(lent.filter(({ isReadOnly }) => !isReadOnly).map(({ name }) => name));
  return {
    tools: [
      ...(settings.sessionSearch ? [sessionSearchTool(backend)] : []),
      ...(settings.webFetch ? [webFetchTool()] : []),
      ...(settings.files === undefined ? [] : workspaceTools(settings.files)),
      ...lent,
    ],
    permit: ({ tool }) => permissionOf(settings.permissions, tool, changing.has(tool) ? 'ask' : 'allow'),
    async close() {
      await Promise.allSettled(servers.map((server) => server.close()));
    },
  };
}

async function openServers({ mcp }: ToolSettings, log: Log): Promise<readonly McpServer[]> {
  if (mcp.length === 0) return [];
  // Its library is loaded where it is used.
  const { openMcpServer } = await import('./mcp-server.js');
  const opened = await Promise.all(
    mcp.map(async (server) => {
      const onError = (error: unknown) =>
        log.warn({ server: server.name, error: sentence(error) }, 'The connection to a tool server failed.');
      try {
        return [await openMcpServer(server, onError)];
      } catch (error) {
        log.error(
          { server: server.name, error: sentence(error) },
          'A tool server cannot be reached; its tools are missing.',
        );
        return [];
      }
    }),
  );
  return opened.flat();
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
