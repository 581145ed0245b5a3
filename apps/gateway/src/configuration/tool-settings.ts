import type { Permission } from '@x/agent-runtime';
import { z } from 'zod';
import type { McpServerSettings } from '../tools/mcp-server.js';
import type { ConfigurationProblem } from './configuration-error.js';
import { type Environment, environmentValue } from './environment.js';

const variables = z.record(z.string().min(1), z.string().min(1));
const stdioSchema = z.strictObject({
  command: z.string().min(1).describe('The program that is the server.'),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional().describe('Variables of the server.'),
  env_from: variables
    .optional()
    .describe('Variables of the server, each with the name of ours that holds its value.'),
});
const httpSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).describe('Address of the server.'),
  headers_from: variables
    .optional()
    .describe('Headers, each with the name of the environment variable that holds its value.'),
});

/** The block `tools`: what agents may use beside what they always have. */
export const toolsSchema = z.strictObject({
  permissions: z
    .record(
      z.string().regex(/^[\w-]*\*?$/, 'expected the name of a tool, or its beginning and *'),
      z.enum(['allow', 'ask', 'deny']),
    )
    .optional()
    .describe('By the name of a tool, or its beginning and *. ask: the person is asked in the chat first.'),
  session_search: z.boolean().optional().describe('A search of its own conversation. Default true.'),
  web_fetch: z.boolean().optional().describe('Reading pages of the public internet. Default false.'),
  files: z
    .strictObject({ folder: z.string().min(1).describe('The folder whose files agents read and write.') })
    .optional(),
  mcp: z
    .record(
      z.string().regex(/^[a-zA-Z0-9][\w-]{0,31}$/, 'expected 1 to 32 letters, digits, "_" or "-"'),
      z.union([stdioSchema, httpSchema], {
        error: 'expected {command, args, env, env_from} or {url, headers_from}',
      }),
    )
    .optional()
    .describe('Servers of the Model Context Protocol, by a name of your choice.'),
});

export interface ToolSettings {
  readonly permissions: Readonly<Record<string, Permission>>;
  readonly sessionSearch: boolean;
  readonly webFetch: boolean;
  /** The folder whose files agents read and write; undefined for none. */
  readonly files: string | undefined;
  readonly mcp: readonly McpServerSettings[];
}

export interface ToolPlace {
  readonly environment: Environment;
  /** The file that the block stands in, and what its paths are relative to. */
  readonly source: string;
  readonly folder: string;
  readonly besideFile: (relative: string) => string;
  readonly problems: ConfigurationProblem[];
}

export function toolSettingsOf(
  block: z.infer<typeof toolsSchema> | undefined,
  place: ToolPlace,
): ToolSettings {
  const { permissions = {}, session_search = true, web_fetch = false, files, mcp = {} } = block ?? {};
  return {
    permissions,
    sessionSearch: session_search,
    webFetch: web_fetch,
    files: files === undefined ? undefined : place.besideFile(files.folder),
    mcp: Object.entries(mcp).map(([name, server]): McpServerSettings => {
      const from = (names: Readonly<Record<string, string>> = {}, field: string) =>
        valuesOf(names, `tools.mcp.${name}.${field}`, place);
      if ('url' in server) {
        return { name, kind: 'http', url: server.url, headers: from(server.headers_from, 'headers_from') };
      }
      const env = { ...server.env, ...from(server.env_from, 'env_from') };
      return {
        name,
        kind: 'stdio',
        command: server.command,
        args: server.args ?? [],
        env,
        folder: place.folder,
      };
    }),
  };
}

function valuesOf(
  names: Readonly<Record<string, string>>,
  path: string,
  { environment, source, problems }: ToolPlace,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, variable]) => {
      const value = environmentValue(environment, variable);
      if (value !== undefined) return [[name, value]];
      problems.push({
        source,
        path: `${path}.${name}`,
        message: `the environment variable ${variable} is not set`,
      });
      return [];
    }),
  );
}

/** The permission of a tool: what is said of its name, else of the longest beginning, else `usual`. Pure. */
export function permissionOf(
  permissions: Readonly<Record<string, Permission>>,
  tool: string,
  usual: Permission,
): Permission {
  const own = permissions[tool];
  if (own !== undefined) return own;
  const beginnings = Object.keys(permissions).filter(
    (name) => name.endsWith('*') && tool.startsWith(name.slice(0, -1)),
  );
  const [longest] = beginnings.sort((first, second) => second.length - first.length);
  return (longest === undefined ? undefined : permissions[longest]) ?? usual;
}
