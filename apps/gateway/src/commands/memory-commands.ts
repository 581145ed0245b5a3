import type { Command } from 'commander';
import { RunError } from '../run-error.js';
import { configurationFrom } from './command-configuration.js';

interface MemoryOptions {
  readonly agent?: string;
  readonly subject?: string;
  readonly search?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
}

const OF_SUBJECT = 'whose: person:NAME, sender:CHANNEL:ID or session:KEY';

/** `memories …`: what agents keep for good. They may be looked at and changed beside a running gateway. */
export function addMemoryCommands(program: Command): void {
  const memories = program
    .command('memories')
    .description('look at what agents keep for good, and change it');

  withOptions(memories.command('list').description('list them, newest first'), 'as an array of objects')
    .option('--agent <id>', 'only those of this agent')
    .option('--subject <subject>', OF_SUBJECT)
    .option('--search <text>', 'only those that hold this text, in any case')
    .action(async (options: MemoryOptions, command: Command) => {
      const { listMemories } = await import('./memories.js');
      process.stdout.write(
        await listMemories(await configurationFrom(command), options, options.json === true),
      );
    });

  withOptions(memories.command('show').description('show one'), 'as one object: {memory}')
    .argument('<id>', 'its id, as list shows it')
    .action(async (id: string, options: MemoryOptions, command: Command) => {
      const { showMemory } = await import('./memories.js');
      process.stdout.write(
        await showMemory(await configurationFrom(command), idOf(id), options.json === true),
      );
    });

  withOptions(
    memories.command('add').description('keep something for good'),
    'as one object: {memory, added}',
  )
    .argument('<text...>', 'what')
    .requiredOption('--subject <subject>', OF_SUBJECT)
    .option('--agent <id>', 'the agent that keeps it (default: the default agent)')
    .action(
      async (words: readonly string[], options: MemoryOptions & { subject: string }, command: Command) => {
        const { addMemory } = await import('./memories.js');
        const { memory, added } = await addMemory(await configurationFrom(command), options, words.join(' '));
        tell(options, { memory, added }, `${added ? 'Kept' : 'Kept already'}: memory ${memory.id}.`);
      },
    );

  withOptions(memories.command('edit').description('change what one says'), 'as one object: {memory}')
    .argument('<id>', 'its id, as list shows it')
    .argument('<text...>', 'what it shall say')
    .action(async (id: string, words: readonly string[], options: MemoryOptions, command: Command) => {
      const { editMemory } = await import('./memories.js');
      const memory = await editMemory(await configurationFrom(command), idOf(id), words.join(' '));
      tell(options, { memory }, `Memory ${memory.id} is changed.`);
    });

  withOptions(memories.command('forget').description('forget one for good'), 'as one object: {memory}')
    .argument('<id>', 'its id, as list shows it')
    .option('--yes', 'do not ask')
    .action(async (id: string, options: MemoryOptions, command: Command) => {
      const { forgetMemory } = await import('./memories.js');
      const isConfirmed = options.yes === true;
      const memory = await forgetMemory(await configurationFrom(command), idOf(id), isConfirmed);
      tell(options, { memory }, `Memory ${memory.id} is forgotten.`);
    });
}

function withOptions(command: Command, json: string): Command {
  return command.option('--json', json).option('--config <file>', 'configuration file');
}

function tell(options: MemoryOptions, value: unknown, words: string): void {
  if (options.json === true) process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  else process.stderr.write(`${words}\n`);
}

function idOf(given: string): number {
  if (/^[1-9]\d{0,14}$/.test(given)) return Number(given);
  throw new RunError(`Expected the id of a memory, a number as list shows it, got ${given}.`, 2);
}
