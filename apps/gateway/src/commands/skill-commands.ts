import type { Command } from 'commander';
import { RunError } from '../run-error.js';
import { configurationFrom } from './command-configuration.js';

interface SkillOptions {
  readonly skill?: string;
  readonly session?: string;
  readonly kind?: string;
  readonly limit: string;
  readonly json?: boolean;
}

/** `skills list` and `skills events`: what there is for agents to take up, and what happened to it. */
export function addSkillCommands(program: Command): void {
  const skills = program.command('skills').description('look at the skills of the agents');

  skills
    .command('list')
    .description('list the skills that are there, and those that cannot be used')
    .option('--json', 'as an array of objects')
    .option('--config <file>', 'configuration file')
    .action(async (options: { readonly json?: boolean }, command: Command) => {
      const { listSkills } = await import('./skills.js');
      process.stdout.write(await listSkills(await configurationFrom(command), options.json === true));
    });

  skills
    .command('events')
    .description('list what happened to skills, newest first')
    .option('--skill <name>', 'only of this skill')
    .option('--session <key>', 'only in this session: its key')
    .option('--kind <kind>', 'only found, skipped, gone or used')
    .option('--limit <number>', 'at most so many', '50')
    .option('--json', 'as an array of objects')
    .option('--config <file>', 'configuration file')
    .action(async (options: SkillOptions, command: Command) => {
      const limit = Number(options.limit);
      if (!Number.isInteger(limit) || limit < 1 || limit > 10_000)
        throw new RunError(`--limit: expected a number from 1 to 10000, got ${options.limit}.`, 2);
      const { listSkillEvents } = await import('./skills.js');
      const configuration = await configurationFrom(command);
      process.stdout.write(
        await listSkillEvents(configuration, { ...options, limit }, options.json === true),
      );
    });
}
