import { createMCPClient, type ListToolsResult, type MCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import type { Tool } from '@x/agent-runtime';
import type { JsonValue } from '@x/session-store';
import { z } from 'zod';
import { VERSION } from '../version.js';

/** How one server of the Model Context Protocol is reached. Secrets are values already, taken from the environment. */
export type McpServerSettings = { readonly name: string } & (
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly folder: string;
    }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
);

export interface McpServer {
  readonly name: string;
  readonly tools: readonly McpTool[];
  close(): Promise<void>;
}

export interface McpTool extends Tool {
  /** The server says that it changes nothing. */
  readonly isReadOnly: boolean;
}

const START_TIMEOUT_MS = 15_000;
const MOST_TOOLS = 128;
type Definition = ListToolsResult['tools'][number];

/**
 * Connects to a server and takes its tools, under names that begin with the server's. A connection that breaks later
 * is made anew at the next call. Rejects where the server cannot be reached now.
 */
export async function openMcpServer(
  settings: McpServerSettings,
  onError: (error: unknown) => void,
): Promise<McpServer> {
  let client: Promise<MCPClient> | undefined;
  let isClosed = false;

  function connected(): Promise<MCPClient> {
    client ??= connect(settings, (error) => {
      client = undefined;
      if (!isClosed) onError(error);
    }).catch((error: unknown) => {
      client = undefined;
      throw error;
    });
    return client;
  }

  async function call(definition: Definition, input: unknown, signal: AbortSignal): Promise<string> {
    const current = await connected();
    const known = current.toolsFromDefinitions({ tools: [definition] })[definition.name];
    if (known === undefined) throw new Error(`${settings.name} has no tool ${definition.name}.`);
    const options = { abortSignal: signal, toolCallId: definition.name, messages: [] };
    const result = await Promise.resolve(known.execute(input, options)).catch((error: unknown) => {
      if (!signal.aborted && !isAnswer(error)) {
        client = undefined;
        void current.close().catch(() => {});
      }
      throw error;
    });
    return resultText(result);
  }

  try {
    const definitions = await definitionsOf(await connected());
    const tools = definitions.map((definition): McpTool => {
      const isReadOnly = definition.annotations?.readOnlyHint === true;
      return {
        name: toolName(settings.name, definition.name),
        description: definition.description ?? definition.title ?? definition.name,
        // The server judges the arguments; it knows them best.
        inputSchema: z.looseObject({}),
        inputJsonSchema: definition.inputSchema as { readonly [name: string]: JsonValue },
        runsBesideOthers: isReadOnly,
        isReadOnly,
        execute: (input, { signal }) => call(definition, input, signal),
      };
    });
    return {
      name: settings.name,
      tools,
      async close() {
        isClosed = true;
        await (await client)?.close();
      },
    };
  } catch (error) {
    isClosed = true;
    await (await client)?.close();
    throw error;
  }
}

async function connect(
  settings: McpServerSettings,
  onUncaughtError: (error: unknown) => void,
): Promise<MCPClient> {
  const transport =
    settings.kind === 'http'
      ? {
          type: 'http' as const,
          url: settings.url,
          headers: { ...settings.headers },
          redirect: 'error' as const,
        }
      : new StdioTransport({
          command: settings.command,
          args: [...settings.args],
          env: { ...settings.env },
          cwd: settings.folder,
          stderr: 'ignore',
        });
  return createMCPClient({
    transport,
    clientName: 'holdfast',
    version: VERSION,
    onUncaughtError,
    initializationOptions: { timeout: START_TIMEOUT_MS, maxTotalTimeout: START_TIMEOUT_MS },
  });
}

async function definitionsOf(client: MCPClient): Promise<readonly Definition[]> {
  const found: Definition[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools({
      ...(cursor === undefined ? {} : { params: { cursor } }),
      options: { timeout: START_TIMEOUT_MS },
    });
    found.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined && found.length < MOST_TOOLS);
  return found.slice(0, MOST_TOOLS);
}

function toolName(server: string, tool: string): string {
  return `${server}_${tool}`.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
}

const resultSchema = z.looseObject({
  content: z
    .array(z.looseObject({ type: z.string(), text: z.string().optional(), mimeType: z.string().optional() }))
    .optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});

/** What a result says in words. Pictures and sounds are named, not shown. */
function resultText(result: unknown): string {
  const parsed = resultSchema.safeParse(result);
  if (!parsed.success) return JSON.stringify(result) ?? '';
  const { content = [], structuredContent, isError } = parsed.data;
  const parts = content.map(({ type, text, mimeType }) => text ?? `[${mimeType ?? type}]`);
  const words =
    parts.length === 0 && structuredContent !== undefined
      ? JSON.stringify(structuredContent)
      : parts.join('\n');
  if (isError === true) throw new Error(words === '' ? 'The tool failed.' : words);
  return words;
}

/** An error of the protocol, with its number, comes from a server that is well: the connection is kept. */
function isAnswer(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'number';
}
