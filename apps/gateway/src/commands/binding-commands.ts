import type { Command } from 'commander';
import { RunError } from '../run-error.js';
import { configurationFrom } from './command-configuration.js';

interface BindOptions {
  readonly chat: string;
  readonly chatType: string;
  readonly account?: string;
  readonly topic?: string;
  readonly space?: string;
  readonly session?: string;
  readonly agent?: string;
  readonly idleHours?: string;
  readonly maxAgeHours?: string;
  readonly json?: boolean;
}

/** `bindings …`: chats and threads that lead elsewhere than they are routed. */
export function addBindingCommands(program: Command): void {
  const bindings = program
    .command('bindings')
    .description('chats and threads that are bound to a session or an agent');

  withOptions(
    bindings.command('list').description('list them, oldest first'),
    'as an array of objects',
  ).action(async (options: { readonly json?: boolean }, command: Command) => {
    const { describeBindings, listBindings } = await import('./bindings.js');
    const found = await listBindings(await configurationFrom(command));
    if (options.json === true) writeJson(found);
    else process.stdout.write(describeBindings(found));
  });

  withOptions(
    bindings.command('bind').description('bind a chat, or a thread of it; what it was bound to is replaced'),
    'as one object: {binding}',
  )
    .argument('<channel>', 'telegram, slack …')
    .requiredOption('--chat <id>', 'the id of the chat')
    .option('--chat-type <type>', 'direct, group, channel …', 'group')
    .option('--topic <id>', 'the id of the thread or topic')
    .option('--account <id>', 'the account of ours that is spoken to')
    .option('--space <id>', 'the id of the workspace or guild')
    .option('--session <key>', 'to this session: its key, an alias or its name')
    .option('--agent <id>', 'or to the session of this agent there')
    .option('--idle-hours <number>', 'released after so much silence; 0: never')
    .option('--max-age-hours <number>', 'released at this age; 0: never')
    .action(async (channel: string, options: BindOptions, command: Command) => {
      if ((options.session === undefined) === (options.agent === undefined))
        throw new RunError('Expected one of --session and --agent.', 2);
      const { bind } = await import('./bindings.js');
      const binding = await bind(await configurationFrom(command), {
        context: {
          channel,
          // As lists show it, or as the platform says it.
          chat_id: withoutType(options.chatType, options.chat),
          chat_type: options.chatType,
          ...(options.topic !== undefined && { topic_id: options.topic }),
          ...(options.account !== undefined && { account: options.account }),
          ...(options.space !== undefined && { space_id: options.space }),
        },
        target: options.session === undefined ? { agent: options.agent } : { session: options.session },
        ...hoursOf('idle_hours', '--idle-hours', options.idleHours),
        ...hoursOf('max_age_hours', '--max-age-hours', options.maxAgeHours),
      });
      if (options.json === true) writeJson({ binding });
      else process.stderr.write(`Bound: ${binding.id}\n`);
    });

  withOptions(
    bindings.command('release').description('let its messages go where they are routed'),
    'as one object: {released}',
  )
    .argument('<id>', 'its id, as list shows it')
    .action(async (id: string, options: { readonly json?: boolean }, command: Command) => {
      const { release } = await import('./bindings.js');
      const released = await release(await configurationFrom(command), id);
      if (options.json === true) writeJson({ released });
      else process.stderr.write(released ? `Released: ${id}\n` : `Nothing is bound under ${id}.\n`);
      process.exitCode = released ? 0 : 1;
    });
}

function withOptions(command: Command, json: string): Command {
  return command.option('--json', json).option('--config <file>', 'configuration file');
}

function hoursOf(field: string, option: string, text: string | undefined): Readonly<Record<string, number>> {
  if (text === undefined) return {};
  const hours = Number(text);
  if (text.trim() === '' || !Number.isFinite(hours) || hours < 0)
    throw new RunError(`${option}: expected a number of hours from 0, got ${text}.`, 2);
  return { [field]: hours };
}

function withoutType(type: string, chat: string): string {
  return chat.startsWith(`${type}:`) ? chat.slice(type.length + 1) : chat;
}

function writeJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
