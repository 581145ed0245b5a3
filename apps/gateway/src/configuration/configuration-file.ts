import { routingConfigSchema } from '@x/routing';
import { z } from 'zod';
import { schedulerSchema } from '../jobs/job-settings.js';
import { modelReferenceSchema } from '../models/model-reference.js';
import { channelsSchema } from './channel-settings.js';
import { agentModelFields, contextSchema, modelBlockFields } from './model-settings.js';
import { chatCommandsSchema, sessionSettingsSchema } from './session-settings.js';
import { toolsSchema } from './tool-settings.js';

const providerSchema = z.strictObject({
  api_key_env: z
    .string()
    .min(1)
    .optional()
    .describe('Name of the environment variable that holds the API key; the key itself never stands here.'),
  base_url: z.url().optional().describe('Address of the API, such as http://127.0.0.1:11434/v1.'),
});

const accessTokenSchema = z.strictObject({
  name: z.string().regex(/^[\w.-]{1,64}$/, 'expected 1 to 64 letters, digits, "_", "." or "-"'),
  token_env: z.string().min(1).describe('Name of the environment variable that holds the token.'),
  scopes: z
    .array(z.enum(['read', 'chat', 'admin']))
    .min(1)
    .describe('read: look at everything; chat: speak and stop; admin: everything.'),
});

/** The agents, with what they have beside what routing reads of them. */
export const agentListSchema = z.array(
  z.looseObject({
    id: z.string().nullish(),
    model: modelReferenceSchema.optional().describe('The model of this agent; models.default otherwise.'),
    instructions: z.string().optional().describe('What the agent is told about its task.'),
    system: z.string().optional().describe('Another name for instructions.'),
    ...agentModelFields,
  }),
);

/**
 * The shape of `holdfast.config.json`. The `session` and `agents` blocks are PicoClaw's: what stands there that
 * neither routing nor we read is left alone. Elsewhere an unknown name is an error.
 */
export const configurationFileSchema = z
  .strictObject({
    $schema: z.string().optional(),
    gateway: z
      .strictObject({
        host: z.string().min(1).optional().describe('Address to listen on. Default 127.0.0.1.'),
        port: z
          .int()
          .min(0)
          .max(65_535)
          .optional()
          .describe('Port to listen on; 0 for any free one. Default 7420.'),
        token: z
          .string()
          .min(8)
          .optional()
          .describe(
            'Bearer token of the API, with every right. Needed as soon as host is not a loopback address.',
          ),
        tokens: z
          .array(accessTokenSchema)
          .optional()
          .describe('Further bearer tokens, each with a name and with what it may do.'),
        allowed_hosts: z
          .array(z.string().min(1))
          .optional()
          .describe('Further host names under which the gateway may be addressed.'),
        requests_per_minute: z
          .int()
          .min(1)
          .optional()
          .describe('How many API requests each token may make in a minute. Default: any number.'),
        agent_prompt: z
          .boolean()
          .optional()
          .describe(
            'Whether agent/AGENT.md, beside this file, begins each conversation. Default: where there is a folder agent, or agent_prompt_reinject_every is given.',
          ),
        agent_prompt_reinject_every: z
          .int()
          .min(0)
          .optional()
          .describe('User turns after which it is given again; 0: never. Default 100.'),
        steering: z
          .enum(['one-at-a-time', 'all'])
          .optional()
          .describe('How many of the messages that come while an answer is made join it at one point.'),
        unfinished_turns: z
          .enum(['close', 'resume'])
          .optional()
          .describe('What becomes of an answer that the end of the process cut off. Default close.'),
      })
      .optional(),
    data: z.string().min(1).optional().describe('The data folder. Default ./data in the current folder.'),
    store: z
      .union(
        [
          z.enum(['jsonl', 'sqlite']),
          z.strictObject({
            kind: z.literal('jsonl'),
            path: z
              .string()
              .min(1)
              .optional()
              .describe('Folder of the session files. Default: sessions/ in the data folder.'),
          }),
          z.strictObject({
            kind: z.literal('sqlite'),
            path: z
              .string()
              .min(1)
              .optional()
              .describe('The database file. Default: sessions.sqlite in the data folder.'),
          }),
        ],
        { error: ({ input }) => storeComplaint(input) },
      )
      .optional(),
    models: z
      .strictObject({
        default: modelReferenceSchema.optional().describe('provider:name, or offline.'),
        ...modelBlockFields,
        timeout_seconds: z
          .number()
          .positive()
          .max(3600)
          .optional()
          .describe('Silence of a model, in seconds, after which a turn fails. Default 120.'),
        providers: z
          .strictObject({
            openai: providerSchema.optional(),
            anthropic: providerSchema.optional(),
            google: providerSchema.optional(),
            'openai-compatible': providerSchema.extend({ base_url: z.url() }).optional(),
          })
          .optional(),
      })
      .optional(),
    channels: channelsSchema
      .optional()
      .describe('The chat apps in which the gateway answers, by a name of your choosing.'),
    context: contextSchema
      .optional()
      .describe('How much of a session a model is shown, and when the older part becomes a summary.'),
    tools: toolsSchema.optional().describe('What agents may use beside what they always have.'),
    session: z.intersection(routingConfigSchema.shape.session, sessionSettingsSchema.nullish()).optional(),
    scheduler: schedulerSchema.optional().describe('What is done at its time, without anybody asking.'),
    chat_commands: chatCommandsSchema.optional().describe('Commands such as /reset in a chat.'),
    skills: z
      .strictObject({
        project: z.string().min(1).optional().describe('Folder of skills. Default: skills/ beside the file.'),
        user: z
          .string()
          .min(1)
          .optional()
          .describe("Folder of this user's skills. Default: .holdfast/skills in the home folder."),
      })
      .optional(),
    agents: z
      .intersection(
        routingConfigSchema.shape.agents,
        z.looseObject({ list: agentListSchema.nullish() }).nullish(),
      )
      .optional(),
  })
  .describe('Configuration of a Holdfast gateway (JSON or JSON5).');

export type ConfigurationFile = z.infer<typeof configurationFileSchema>;

function storeComplaint(input: unknown): string {
  const kind = typeof input === 'object' && input !== null && 'kind' in input ? input.kind : input;
  return `expected "jsonl", "sqlite" or {kind, path} of one of them, got ${JSON.stringify(kind)}; other stores are not in this version`;
}
