import type { Command } from 'commander';
import { RunError } from '../run-error.js';
import { configurationFrom } from './command-configuration.js';
import { SESSION_ACTIONS, type SessionAction } from './session-action.js';
import { STORE_OPTION } from './store-option.js';

interface ActionOptions {
  readonly store?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
}

/** `sessions rename`, and what is done to a session by its name alone. */
export function addSessionActionCommands(sessions: Command): void {
  const rename = sessions
    .command('rename')
    .description('give a session a title; an empty one takes it away')
    .argument('<key>', 'its key, an alias or its name')
    .argument('<title>', 'the title');
  withOptions(rename).action(
    async (name: string, title: string, options: ActionOptions, command: Command) => {
      const wanted = title.trim();
      if (wanted.length > 200) throw new RunError('The title has more than 200 characters.', 2);
      const action: SessionAction = {
        name: 'rename',
        description: '',
        done: wanted === '' ? 'has no title any more.' : `is called ${JSON.stringify(wanted)} now.`,
        here: (backend, key) => backend.rename(key, wanted),
        remote: { method: 'POST', path: 'rename' },
      };
      await act(action, name, options, command, { title: wanted });
    },
  );

  for (const action of SESSION_ACTIONS) {
    const added = sessions
      .command(action.name)
      .description(action.description)
      .argument(
        '<key>',
        action.ofDeleted === true ? 'its key, or a name it had' : 'its key, an alias or its name',
      );
    if (action.question !== undefined) added.option('--yes', 'do not ask');
    withOptions(added).action((name: string, options: ActionOptions, command: Command) =>
      act(action, name, options, command),
    );
  }
}

function withOptions(command: Command): Command {
  return command
    .option('--store <store>', STORE_OPTION)
    .option('--json', 'as one object: {session}')
    .option('--config <file>', 'configuration file');
}

async function act(
  action: SessionAction,
  name: string,
  options: ActionOptions,
  command: Command,
  body?: unknown,
): Promise<void> {
  const { changeSession } = await import('./change-session.js');
  const { storeOf } = await import('./store-argument.js');
  const configuration = () => configurationFrom(command);
  const store = await storeOf(options.store, configuration);
  const isConfirmed = options.yes === true;
  const { before, after } = await changeSession(store, configuration, {
    action,
    name,
    isConfirmed,
    ...(body === undefined ? {} : { body }),
  });
  if (options.json !== true) process.stderr.write(`${before.key} ${action.done}\n`);
  else {
    const gone = { ...before, deleted: true };
    process.stdout.write(`${JSON.stringify({ session: after ?? gone }, null, 2)}\n`);
  }
}
