import { z } from 'zod';
import type { ConfigurationProblem } from './configuration-error.js';
import { type Environment, environmentValue } from './environment.js';

const variable = z
  .string()
  .min(1)
  .describe('Name of an environment variable; the secret itself never stands here.');
const id = z.union([z.string().min(1), z.int()]).transform(String);

/** What all channels have in common: who may talk, and how answers are shown. */
const rules = {
  account: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The account in rules and session keys. Default: none, or the name where that is not the kind.',
    ),
  direct: z
    .enum(['pairing', 'allow', 'open', 'off'])
    .optional()
    .describe(
      'Who may talk in private: whoever the operator approved, those in allow only, everybody, nobody. Default pairing.',
    ),
  allow: z.array(id).optional().describe('Ids of people who may talk, in private and in the groups listed.'),
  groups: z
    .union([z.literal('*'), z.array(id)])
    .optional()
    .describe('Ids of the groups and channels in which the bot answers; "*" for all. Default none.'),
  group_members: z
    .enum(['all', 'allow'])
    .optional()
    .describe('Who may talk in a listed group: every member, or those in allow only. Default all.'),
  mention: z
    .enum(['required', 'not-needed'])
    .optional()
    .describe('Whether a message in a group must mention the bot to be answered. Default required.'),
  unmentioned: z
    .enum(['ignore', 'context'])
    .optional()
    .describe(
      'What becomes of a message that does not: nothing, or the model sees it with the next one. Default ignore.',
    ),
  bot_messages: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe(
      'So many messages of other bots are answered in a chat before a person speaks again. Default 0.',
    ),
  stream: z
    .boolean()
    .optional()
    .describe('Shows the answer while it is made, where messages can be edited. Default true.'),
  unknown_fate: z
    .enum(['resend', 'hold'])
    .optional()
    .describe(
      'A reply that may or may not have arrived: send it again, or hold it for the operator. Default resend.',
    ),
};

const kinds = [
  z.strictObject({
    kind: z.literal('telegram'),
    token_env: variable,
    mode: z.enum(['polling', 'webhook']).optional().describe('How messages come. Default polling.'),
    secret_env: variable.optional().describe('With webhook: what Telegram sends along with each update.'),
    url: z
      .url()
      .optional()
      .describe(
        'With webhook: the address of /channels/NAME as Telegram reaches it; registered at the start.',
      ),
    api_root: z.url().optional().describe('Another Bot API server. Default https://api.telegram.org.'),
    ...rules,
  }),
  z.strictObject({
    kind: z.literal('slack'),
    token_env: variable.describe('The bot token, xoxb-….'),
    app_token_env: variable.optional().describe('The app token, xapp-…: messages come over Socket Mode.'),
    signing_secret_env: variable.optional().describe('The signing secret: messages come over HTTP.'),
    api_root: z.url().optional().describe('Another address of the Web API. Default https://slack.com/api/.'),
    ...rules,
  }),
  z.strictObject({
    kind: z.literal('discord'),
    token_env: variable,
    api_root: z
      .url()
      .optional()
      .describe('Another address of the REST API. Default https://discord.com/api.'),
    ...rules,
  }),
  z.strictObject({
    kind: z.literal('webhook'),
    secret_env: variable.describe('What both sides sign with.'),
    url: z
      .url()
      .optional()
      .describe('Where answers are sent to; without it nobody hears them but those who look.'),
    ...rules,
  }),
] as const;

export const channelsSchema = z.record(
  z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, 'expected a name of small letters, digits, "-" and "_"'),
  z.discriminatedUnion('kind', [...kinds]),
);

type FileSettings = z.output<typeof channelsSchema>[string];

/** Who may talk to a channel, all defaults filled in. */
export interface ChannelRules {
  readonly direct: 'pairing' | 'allow' | 'open' | 'off';
  readonly allow: ReadonlySet<string>;
  readonly groups: ReadonlySet<string> | '*';
  readonly groupMembers: 'all' | 'allow';
  readonly mention: 'required' | 'not-needed';
  readonly unmentioned: 'ignore' | 'context';
  readonly botMessages: number;
}

/** One channel as configured, its secrets read from the environment. */
export interface ChannelSettings {
  /** The operator's name for it. */
  readonly name: string;
  readonly account: string | undefined;
  readonly rules: ChannelRules;
  readonly stream: boolean;
  readonly unknownFate: 'resend' | 'hold';
  readonly platform: PlatformSettings;
}

export type PlatformSettings =
  | {
      readonly kind: 'telegram';
      readonly token: string;
      readonly mode: 'polling' | 'webhook';
      readonly secret: string | undefined;
      readonly url: string | undefined;
      readonly apiRoot: string | undefined;
    }
  | {
      readonly kind: 'slack';
      readonly token: string;
      readonly appToken: string | undefined;
      readonly signingSecret: string | undefined;
      readonly apiRoot: string | undefined;
    }
  | { readonly kind: 'discord'; readonly token: string; readonly apiRoot: string | undefined }
  | { readonly kind: 'webhook'; readonly secret: string; readonly url: string | undefined };

/** Reads the secrets. A problem is added for each that is not there, and for what does not go together. */
export function channelSettings(
  channels: z.output<typeof channelsSchema> | undefined,
  environment: Environment,
  source: string,
  problems: ConfigurationProblem[],
): ChannelSettings[] {
  return Object.entries(channels ?? {}).map(([name, settings]) => {
    const complain = (field: string, message: string) =>
      problems.push({ source, path: `channels.${name}.${field}`, message });
    const secret = (field: string, from: string): string => {
      const value = environmentValue(environment, from);
      if (value === undefined) complain(field, `the environment variable ${from} is not set`);
      return value ?? '';
    };
    return {
      name,
      account: settings.account ?? (name === settings.kind ? undefined : name),
      rules: rulesOf(settings),
      stream: settings.stream ?? true,
      unknownFate: settings.unknown_fate ?? 'resend',
      platform: platformOf(settings, secret, complain),
    };
  });
}

/** Whoever holds the secret of a webhook is known; whoever finds a bot on a public platform is not. */
function rulesOf(settings: FileSettings): ChannelRules {
  const isTrusted = settings.kind === 'webhook';
  const groups = settings.groups ?? (isTrusted ? '*' : []);
  return {
    direct: settings.direct ?? (isTrusted ? 'open' : 'pairing'),
    allow: new Set(settings.allow),
    groups: groups === '*' ? groups : new Set(groups),
    groupMembers: settings.group_members ?? 'all',
    mention: settings.mention ?? (isTrusted ? 'not-needed' : 'required'),
    unmentioned: settings.unmentioned ?? 'ignore',
    botMessages: settings.bot_messages ?? 0,
  };
}

function platformOf(
  settings: FileSettings,
  secret: (field: string, from: string) => string,
  complain: (field: string, message: string) => void,
): PlatformSettings {
  const optional = (field: string, from: string | undefined) =>
    from === undefined ? undefined : secret(field, from);
  switch (settings.kind) {
    case 'telegram': {
      const mode = settings.mode ?? 'polling';
      if (mode === 'webhook' && settings.secret_env === undefined) {
        complain('secret_env', 'a webhook needs a secret, or anybody could speak for Telegram');
      }
      return {
        kind: 'telegram',
        token: secret('token_env', settings.token_env),
        mode,
        secret: optional('secret_env', settings.secret_env),
        url: settings.url,
        apiRoot: settings.api_root,
      };
    }
    case 'slack':
      if (settings.app_token_env === undefined && settings.signing_secret_env === undefined) {
        complain(
          'app_token_env',
          'one of app_token_env (Socket Mode) and signing_secret_env (HTTP) is needed',
        );
      }
      return {
        kind: 'slack',
        token: secret('token_env', settings.token_env),
        appToken: optional('app_token_env', settings.app_token_env),
        signingSecret: optional('signing_secret_env', settings.signing_secret_env),
        apiRoot: settings.api_root,
      };
    case 'discord':
      return { kind: 'discord', token: secret('token_env', settings.token_env), apiRoot: settings.api_root };
    case 'webhook':
      return { kind: 'webhook', secret: secret('secret_env', settings.secret_env), url: settings.url };
  }
}
