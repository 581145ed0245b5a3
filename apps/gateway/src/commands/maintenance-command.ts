import type { Command } from 'commander';
import { RunError } from '../run-error.js';
import { configurationFrom } from './command-configuration.js';
import { STORE_OPTION } from './store-option.js';

interface MaintainOptions {
  readonly store?: string;
  readonly dryRun?: boolean;
  readonly enforce?: boolean;
  readonly json?: boolean;
}

/** `sessions maintain`. */
export function addMaintenanceCommand(sessions: Command): void {
  sessions
    .command('maintain')
    .description('keep the sessions to the limits of session.maintenance: the oldest go into the bin')
    .option('--store <store>', STORE_OPTION)
    .option('--dry-run', 'only say what would be done, and why')
    .option('--enforce', 'do it, also where session.maintenance.mode is warn')
    .option('--json', 'as one object: {enforced, before, after, steps, spared}')
    .option('--config <file>', 'configuration file')
    .action(async (options: MaintainOptions, command: Command) => {
      if (options.dryRun === true && options.enforce === true)
        throw new RunError('--dry-run and --enforce: either, not both.', 2);
      const { describeMaintenance, maintain } = await import('./maintain.js');
      const { storeOf } = await import('./store-argument.js');
      const configuration = await configurationFrom(command);
      const store = await storeOf(options.store, async () => configuration);
      const isEnforced =
        options.enforce ?? (options.dryRun === true ? false : configuration.maintenance.isEnforced);
      const report = await maintain(store, configuration, isEnforced);
      process.stdout.write(
        options.json === true ? `${JSON.stringify(report, null, 2)}\n` : describeMaintenance(report),
      );
    });
}
