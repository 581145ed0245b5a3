import type { ChatCommand } from './command-call.js';
import { COMPACT } from './compact-command.js';
import { NEW, RESET, STOP } from './reset-commands.js';
import { MODEL, STATUS, TITLE } from './status-commands.js';
import { SESSIONS, SWITCH } from './switch-commands.js';

const HELP: ChatCommand = {
  name: 'help',
  usage: '/help',
  summary: 'lists the commands',
  changes: () => false,
  async run({ agentCommands }) {
    const lines = CHAT_COMMANDS.map(({ usage, summary }) => `${usage}: ${summary}`);
    const own = agentCommands.map((name) => `/${name}`).join(', ');
    return {
      answer: [...lines, ...(own === '' ? [] : [`The model itself understands ${own}.`])].join('\n'),
    };
  },
};

/** In the order in which `/help` lists them. */
const CHAT_COMMANDS: readonly ChatCommand[] = [
  NEW,
  RESET,
  STOP,
  SESSIONS,
  SWITCH,
  TITLE,
  STATUS,
  MODEL,
  COMPACT,
  HELP,
];

/** `/start` is what Telegram's apps send at the first contact: whoever says it wants to know what there is. */
export function commandNamed(name: string): ChatCommand | undefined {
  return CHAT_COMMANDS.find((command) => command.name === (name === 'start' ? 'help' : name));
}
