#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { addBindingCommands } from './commands/binding-commands.js';
import { addChatCommands } from './commands/chat-commands.js';
import { addConfigurationCommands } from './commands/configuration-commands.js';
import { addDeliveryCommands } from './commands/delivery-commands.js';
import { addJobCommands } from './commands/job-commands.js';
import { addMemoryCommands } from './commands/memory-commands.js';
import { addSessionCommands } from './commands/session-commands.js';
import { addSkillCommands } from './commands/skill-commands.js';
import { VERSION } from './version.js';

const program = new Command('holdfast')
  .description('The session layer for AI agents that answer in chat apps.')
  .version(VERSION)
  .option('--config <file>', 'configuration file (default: HOLDFAST_CONFIG, else ./holdfast.config.json)')
  .exitOverride()
  .showHelpAfterError('(holdfast --help says more)');
addChatCommands(program);
addSessionCommands(program);
addBindingCommands(program);
addMemoryCommands(program);
addSkillCommands(program);
addJobCommands(program);
addDeliveryCommands(program);
addConfigurationCommands(program);

// Whoever reads our output may have seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    const { describeFailure } = await import('./commands/failure-line.js');
    const { exitCode, text } = describeFailure(error);
    process.stderr.write(`${text}\n`);
    process.exitCode = exitCode;
  }
}
