import type { Command } from 'commander';
import { configurationFrom } from './command-configuration.js';

/** `explain`, `config check` and `config schema`. */
export function addConfigurationCommands(program: Command): void {
  program
    .command('explain')
    .description('say where messages land and why: inbound contexts in, one JSON object a line, results out')
    .option('--json', 'as it does anyway')
    .option('--config <file>', 'configuration file')
    .action(async (_options, command: Command) => {
      const { createRouter } = await import('@x/routing');
      const { explain } = await import('./explain.js');
      await explain(createRouter((await configurationFrom(command)).routing), process.stdin, process.stdout);
    });

  const config = program.command('config').description('check and describe the configuration');
  config
    .command('check')
    .description('check the configuration and say what is wrong with it')
    .option('--json', 'as one object: {ok, file, problems}')
    .option('--config <file>', 'configuration file')
    .action(async (options: { readonly json?: boolean }, command: Command) => {
      const { checkConfiguration } = await import('./check-configuration.js');
      process.exitCode = await checkConfiguration(() => configurationFrom(command), options.json === true);
    });
  config
    .command('schema')
    .description('print the JSON Schema of the configuration file')
    .option('--json', 'as it does anyway')
    .action(async () => {
      const { z } = await import('zod');
      const { configurationFileSchema } = await import('../configuration/configuration-file.js');
      process.stdout.write(
        `${JSON.stringify(z.toJSONSchema(configurationFileSchema, { io: 'input' }), null, 2)}\n`,
      );
    });
}
