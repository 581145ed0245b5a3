import type { Command } from 'commander';
import { configurationFrom } from './command-configuration.js';

/** `start` and `chat`. */
export function addChatCommands(program: Command): void {
  program
    .command('start')
    .description('run the gateway: the web page, the API and the agents')
    .option('--config <file>', 'configuration file')
    .action(async (_options, command: Command) => {
      const configuration = await configurationFrom(command);
      const { start } = await import('./start.js');
      await start(configuration, process.env);
      // Idle connections to a model's provider must not keep a stopped gateway alive.
      process.exit(0);
    });

  program
    .command('chat')
    .description('talk from this terminal; without text, line by line')
    .argument('[text...]', 'what to say')
    .option('--session <name>', 'a session by key, alias or name; a new name makes a session of its own')
    .option('--config <file>', 'configuration file')
    .action(async (words: readonly string[], options: { readonly session?: string }, command: Command) => {
      const configuration = await configurationFrom(command);
      const { openConversation } = await import('./open-conversation.js');
      const { converse, sayOnce } = await import('./chat.js');
      const conversation = await openConversation(configuration, process.env, options.session);
      let isStopping = false;
      process.on('SIGINT', () => {
        if (isStopping) process.exit(1);
        isStopping = true;
        conversation.stop();
      });
      try {
        const text = words.join(' ').trim();
        const isWell = text === '' ? await converse(conversation) : await sayOnce(conversation, text);
        process.exitCode = isWell ? 0 : 1;
      } finally {
        await conversation.close();
      }
    });
}
