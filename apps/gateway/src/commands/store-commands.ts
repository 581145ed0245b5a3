import { resolve } from 'node:path';
import type { Command } from 'commander';
import { RunError } from '../run-error.js';
import type { StoreReference } from '../stores/store-reference.js';
import { configurationFrom } from './command-configuration.js';
import type { TransferReport } from './copy-sessions.js';
import { STORE_OPTION } from './store-option.js';

interface StoreOptions {
  readonly store?: string;
  readonly json?: boolean;
}

/** Commands on a store as a whole: `sessions export`, `import`, `copy` and `backup`; `doctor`; `migrate`. */
export function addStoreCommands(program: Command, sessions: Command): void {
  sessions
    .command('export')
    .description('write sessions with all their messages as JSON lines; without a key, all of them')
    .argument('[key...]', 'keys, aliases or names')
    .option('--store <store>', STORE_OPTION)
    .option('--output <file>', 'a file instead of standard output')
    .option('--json', 'with --output: how much it was, as one object')
    .option('--config <file>', 'configuration file')
    .action(
      async (names: readonly string[], options: StoreOptions & { output?: string }, command: Command) => {
        const { exportSessions, exportToFile } = await import('./session-export.js');
        const store = await storeNamed(options.store, command);
        if (options.output === undefined) {
          await exportSessions(store, names, process.stdout);
          return;
        }
        const file = resolve(options.output);
        const exported = await exportToFile(store, names, file);
        if (options.json === true) writeJson({ ...exported, file });
        else process.stderr.write(`${exported.sessions} sessions, ${exported.messages} messages → ${file}\n`);
      },
    );

  sessions
    .command('import')
    .description('take what export wrote; what is there already and equal is passed over')
    .argument('[file]', 'a file instead of standard input')
    .option('--store <store>', STORE_OPTION)
    .option('--json', 'as one object: {sessions, messages, skipped_messages, refused}')
    .option('--config <file>', 'configuration file')
    .action(async (file: string | undefined, options: StoreOptions, command: Command) => {
      const { importSessions } = await import('./session-export.js');
      const store = await storeNamed(options.store, command, '--store', true);
      const report = await importSessions(
        store,
        file === undefined || file === '-' ? undefined : resolve(file),
      );
      if (options.json === true) writeJson(report);
      else {
        process.stderr.write(
          `${report.sessions} sessions, ${report.messages} messages taken, ${report.skipped_messages} were there.\n`,
        );
        for (const { alias, key, owner } of report.refused)
          process.stderr.write(`The alias ${alias} of ${key} belongs to ${owner ?? 'another session'}.\n`);
      }
    });

  sessions
    .command('copy')
    .description('copy every session from one store into another, and compare; can be repeated')
    .requiredOption('--from <store>', 'the source: jsonl:DIR, sqlite:FILE or openclaw:DIR')
    .requiredOption('--to <store>', 'the target; made where it is missing')
    .option('--json', 'as one object: {from, to, sessions, problems}')
    .option('--config <file>', 'configuration file')
    .action(async (options: { from: string; to: string; json?: boolean }, command: Command) => {
      const { copySessions, describeTransfer, isWhole } = await import('./copy-sessions.js');
      const from = await storeNamed(options.from, command, '--from');
      const report = await copySessions(from, await storeNamed(options.to, command, '--to', true));
      if (options.json === true) writeJson(report);
      else process.stdout.write(describeTransfer(report));
      process.exitCode = isWhole(report) ? 0 : 1;
    });

  sessions
    .command('backup')
    .description(
      'copy the whole store while a gateway goes on with it; of session files also what lies beside them',
    )
    .argument('<destination>', 'a new file for a database, a new folder for session files')
    .option('--store <store>', STORE_OPTION)
    .option('--json', 'as one object: {from, to, sessions, messages, problems}')
    .option('--config <file>', 'configuration file')
    .action(async (destination: string, options: StoreOptions, command: Command) => {
      const { backUp } = await import('./backup.js');
      const store = await storeNamed(options.store, command);
      const configuration = options.store === undefined ? await configurationFrom(command) : undefined;
      const report = await backUp(store, resolve(destination), configuration);
      if (options.json === true) writeJson(report);
      else {
        for (const problem of report.problems) process.stderr.write(`${problem}\n`);
        process.stderr.write(`${report.sessions} sessions, ${report.messages} messages → ${report.to}\n`);
      }
      process.exitCode = report.problems.length === 0 ? 0 : 1;
    });

  program
    .command('doctor')
    .description('say what is wrong in the stored sessions, without changing anything')
    .option('--store <store>', STORE_OPTION)
    .option('--fix', 'mend what can be mended; what is changed is kept as it was')
    .option('--json', 'as one object: {problems, sessions, messages}')
    .option('--config <file>', 'configuration file')
    .action(async (options: StoreOptions & { readonly fix?: boolean }, command: Command) => {
      const { describeExamination, examine } = await import('./doctor.js');
      const { describeStranded, strandedIn } = await import('./stranded.js');
      const store = await storeNamed(options.store, command);
      const found = await examine(store, options.fix === true);
      // Another store than the configured one is not what the configuration leads to.
      const stranded =
        options.store === undefined ? await strandedIn(store, await configurationFrom(command)) : [];
      if (options.json === true) writeJson({ ...found, ...(stranded.length > 0 && { stranded }) });
      else process.stdout.write(describeExamination(found) + describeStranded(stranded));
      process.exitCode = found.problems.length === 0 ? 0 : 1;
    });

  program
    .command('migrate')
    .description('bring the sessions of another program into the store; can be repeated')
    .argument('<folder>', 'its sessions folder, or the folder that holds it')
    .requiredOption('--from <program>', 'whose they are: picoclaw or openclaw')
    .option('--to <store>', 'the target: jsonl:DIR or sqlite:FILE (default: the configured store)')
    .option('--orphans', 'with openclaw: also transcripts that no session names')
    .option(
      '--main-as <key>',
      "with openclaw: whose an agent's shared direct session is; once for each agent",
      (key: string, before: readonly string[] = []) => [...before, key],
    )
    .option('--dry-run', 'only say what would be done')
    .option('--json', 'as one object: {from, to, sessions, problems, notes}')
    .option('--config <file>', 'configuration file')
    .action(async (folder: string, options: MigrateCommandOptions, command: Command) => {
      const { describeTransfer, isWhole } = await import('./copy-sessions.js');
      const isTrial = options.dryRun === true;
      const target = () => storeNamed(options.to, command, '--to', true);
      const report = await migrateFrom(options, folder, target, isTrial);
      if (options.json === true) writeJson({ ...report, dry_run: isTrial });
      else
        process.stdout.write(
          (isTrial ? 'Nothing is changed; this would be:\n' : '') + describeTransfer(report),
        );
      process.exitCode = isWhole(report) ? 0 : 1;
    });
}

async function migrateFrom(
  { from, orphans, mainAs }: MigrateCommandOptions,
  folder: string,
  target: () => Promise<StoreReference>,
  isTrial: boolean,
): Promise<TransferReport> {
  if (from === 'picoclaw') {
    if (orphans === true || mainAs !== undefined)
      throw new RunError(`${orphans === true ? '--orphans' : '--main-as'}: only with --from openclaw.`, 2);
    const { migratePicoclaw } = await import('./migrate.js');
    return migratePicoclaw(folder, await target(), isTrial);
  }
  if (from !== 'openclaw') throw new RunError(`--from: expected picoclaw or openclaw, got ${from}.`, 2);
  const { migrateOpenclaw } = await import('./migrate-openclaw.js');
  const wanted = { isTrial, takesOrphans: orphans === true, mainAs: mainAs ?? [] };
  return migrateOpenclaw(folder, await target(), wanted);
}

interface MigrateCommandOptions {
  readonly from: string;
  readonly to?: string;
  readonly orphans?: boolean;
  readonly mainAs?: readonly string[];
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

async function storeNamed(
  argument: string | undefined,
  command: Command,
  option?: string,
  mayBeNew?: boolean,
): Promise<StoreReference> {
  const { storeOf } = await import('./store-argument.js');
  return storeOf(argument, () => configurationFrom(command), option, mayBeNew);
}

function writeJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
