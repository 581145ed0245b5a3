import type { Command } from 'commander';
import { RunError } from '../run-error.js';
import { configurationFrom } from './command-configuration.js';
import { addMaintenanceCommand } from './maintenance-command.js';
import { addSessionActionCommands } from './session-action-commands.js';
import { addStoreCommands } from './store-commands.js';
import { STORE_OPTION } from './store-option.js';

interface StoreOptions {
  readonly store?: string;
  readonly json?: boolean;
  readonly all?: boolean;
}

/** `sessions …`, `doctor` and `migrate`. What only reads does so beside a running gateway. */
export function addSessionCommands(program: Command): void {
  const sessions = program.command('sessions').description('look at the stored sessions, and change them');

  sessions
    .command('list')
    .description('list the sessions of all channels, newest activity first')
    .option('--store <store>', STORE_OPTION)
    .option('--channel <channel>', 'only those of this channel')
    .option('--all', 'archived ones as well')
    .option('--deleted', 'those in the bin instead')
    .option('--json', 'as an array of objects')
    .option('--config <file>', 'configuration file')
    .action(
      async (
        options: StoreOptions & { readonly channel?: string; readonly deleted?: boolean },
        command: Command,
      ) => {
        const { listSessions } = await import('./sessions.js');
        const { storeOf } = await import('./store-argument.js');
        const store = await storeOf(options.store, () => configurationFrom(command));
        process.stdout.write(await listSessions(store, options, options.json === true));
      },
    );

  sessions
    .command('show')
    .description('show one session and its messages')
    .argument('<key>', 'its key, an alias or its name')
    .option('--store <store>', STORE_OPTION)
    .option('--all', 'also what no longer reaches the model')
    .option('--json', 'as one object: {session, messages}')
    .option('--config <file>', 'configuration file')
    .action(async (name: string, options: StoreOptions, command: Command) => {
      const { showSession } = await import('./sessions.js');
      const { storeOf } = await import('./store-argument.js');
      const store = await storeOf(options.store, () => configurationFrom(command));
      const segment = options.all === true ? 'all' : 'active';
      process.stdout.write(await showSession(store, name, segment, options.json === true));
    });

  sessions
    .command('search')
    .description('find messages by their words, where the store can')
    .argument('<text...>', 'the words')
    .option('--store <store>', STORE_OPTION)
    .option('--session <key>', 'only in this session: its key, an alias or its name')
    .option('--channel <channel>', 'only in sessions of this channel')
    .option('--role <role>', 'only what this role said: user, assistant, tool or system')
    .option('--limit <number>', 'at most so many', '20')
    .option('--all', 'also what no longer reaches the model')
    .option('--json', 'as an array of {key, seq, id, role, created_at, snippet}')
    .option('--config <file>', 'configuration file')
    .action(async (words: readonly string[], options: SearchCommandOptions, command: Command) => {
      const { searchSessions } = await import('./session-search.js');
      const { storeOf } = await import('./store-argument.js');
      const limit = Number(options.limit);
      if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
        throw new RunError(`--limit: expected a number from 1 to 1000, got ${options.limit}.`, 2);
      const store = await storeOf(options.store, () => configurationFrom(command));
      const search = { ...options, limit };
      process.stdout.write(await searchSessions(store, words.join(' '), search, options.json === true));
    });

  addSessionActionCommands(sessions);
  addMaintenanceCommand(sessions);
  addStoreCommands(program, sessions);
}

interface SearchCommandOptions extends StoreOptions {
  readonly session?: string;
  readonly channel?: string;
  readonly role?: string;
  readonly limit: string;
}
