import * as z from 'zod/mini';

const text = z.nullish(z.string('text expected'));
const flag = z.nullish(z.boolean('true or false expected'));
const words = z.nullish(z.array(z.string('text expected'), 'a list of words expected'));

const ruleSchema = z.object(
  {
    name: text,
    agent: text,
    when: z.nullish(
      z.object(
        { channel: text, account: text, space: text, chat: text, topic: text, sender: text, mentioned: flag },
        'an object of constraints expected',
      ),
    ),
    session_dimensions: words,
  },
  'a rule expected: an object with agent and when',
);

/**
 * The shape of PicoClaw's `session` and `agents` blocks; fields of theirs that routing does not read are ignored.
 * What the words mean is checked by `parseRoutingConfig`.
 */
export const routingConfigSchema = z.object(
  {
    session: z.nullish(
      z.object(
        {
          dimensions: words,
          dm_scope: text,
          identity_links: z.nullish(
            z.record(
              z.string(),
              z.nullish(z.array(z.string('an id in quotes expected'), 'a list of ids expected')),
              'an object of canonical names and their ids expected',
            ),
          ),
          case_sensitive_channels: words,
        },
        'an object expected',
      ),
    ),
    agents: z.nullish(
      z.object(
        {
          list: z.nullish(
            z.array(
              z.object({ id: text, default: flag }, 'an agent expected: an object with an id'),
              'a list of agents expected',
            ),
          ),
          dispatch: z.nullish(
            z.object(
              { rules: z.nullish(z.array(ruleSchema, 'a list of rules expected')) },
              'an object expected',
            ),
          ),
        },
        'an object expected',
      ),
    ),
  },
  'an object with session and agents expected',
);

/** The configuration as written, its shape checked. */
export type WrittenConfig = z.output<typeof routingConfigSchema>;
export type WrittenSession = NonNullable<WrittenConfig['session']>;
export type WrittenAgents = NonNullable<WrittenConfig['agents']>;
export type WrittenRule = z.output<typeof ruleSchema>;
