import type { Command } from 'commander';
import { configurationFrom } from './command-configuration.js';

interface StoreOptions {
  readonly store?: string;
  readonly json?: boolean;
  readonly all?: boolean;
}
const STORE = 'sessions to read, such as jsonl:DIR (default: the configured ones)';

/** `sessions list` and `sessions show`: both read beside a running gateway. */
export function addSessionCommands(program: Command): void {
  const sessions = program.command('sessions').description('look at the stored sessions');

  sessions
    .command('list')
    .description('list the sessions of all channels, newest activity first')
    .option('--store <store>', STORE)
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
        const { storeFolder } = await import('./session-reading.js');
        const folder = await storeFolder(options.store, () => configurationFrom(command));
        process.stdout.write(await listSessions(folder, options, options.json === true));
      },
    );

  sessions
    .command('show')
    .description('show one session and its messages')
    .argument('<key>', 'its key, an alias or its name')
    .option('--store <store>', STORE)
    .option('--all', 'also what no longer reaches the model')
    .option('--json', 'as one object: {session, messages}')
    .option('--config <file>', 'configuration file')
    .action(async (name: string, options: StoreOptions, command: Command) => {
      const { showSession } = await import('./sessions.js');
      const { storeFolder } = await import('./session-reading.js');
      const folder = await storeFolder(options.store, () => configurationFrom(command));
      const segment = options.all === true ? 'all' : 'active';
      process.stdout.write(await showSession(folder, name, segment, options.json === true));
    });
}
