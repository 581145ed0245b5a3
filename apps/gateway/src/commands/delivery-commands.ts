import { type Command, Option } from 'commander';
import { RunError } from '../run-error.js';
import { configurationFrom } from './command-configuration.js';

interface DeliveryOptions {
  readonly queue?: 'inbox' | 'outbox';
  readonly state?: string;
  readonly channel?: string;
  readonly limit?: string;
  readonly json?: boolean;
}

/** `deliveries …` and `pairing …`: beside a running gateway, which sees the change within two seconds. */
export function addDeliveryCommands(program: Command): void {
  const deliveries = program
    .command('deliveries')
    .description('look at what came in over channels and what was said there, and decide');

  withOptions(deliveries.command('list').description('list them, newest first'))
    .addOption(
      new Option('--queue <queue>', 'only what came in, or what was said').choices(['inbox', 'outbox']),
    )
    .addOption(
      new Option('--state <state>', 'only those in this state').choices([
        'waiting',
        'running',
        'done',
        'unknown',
        'aside',
        'dropped',
      ]),
    )
    .option('--channel <name>', 'only those of this channel')
    .option('--limit <number>', 'at most so many', '50')
    .action(async (options: DeliveryOptions, command: Command) => {
      const { listDeliveries } = await import('./deliveries.js');
      const limit = numberOf(options.limit ?? '50', '--limit');
      process.stdout.write(await listDeliveries(await configurationFrom(command), { ...options, limit }));
    });

  withOptions(deliveries.command('show').description('show one, with what it holds'))
    .argument('<id>', 'its number')
    .action(async (id: string, _options: DeliveryOptions, command: Command) => {
      const { showDelivery } = await import('./deliveries.js');
      process.stdout.write(await showDelivery(await configurationFrom(command), numberOf(id, 'id')));
    });

  for (const [action, description] of [
    ['replay', 'work on one again'],
    ['drop', 'let go of one'],
  ] as const) {
    withOptions(deliveries.command(action).description(description))
      .argument('<id>', 'its number')
      .action(async (id: string, options: DeliveryOptions, command: Command) => {
        const { decideDelivery } = await import('./deliveries.js');
        const configuration = await configurationFrom(command);
        const written = await decideDelivery(configuration, numberOf(id, 'id'), action);
        tell(options, written, `Delivery ${id} ${action === 'drop' ? 'is dropped' : 'waits again'}.`);
      });
  }

  const pairing = program.command('pairing').description('decide who may talk to the channels');
  withOptions(pairing.command('list').description('list who may, who asks, and who may not')).action(
    async (options: DeliveryOptions, command: Command) => {
      const { listPairings } = await import('./pairings.js');
      process.stdout.write(await listPairings(await configurationFrom(command), options.json === true));
    },
  );
  for (const [action, done] of [
    ['approve', 'may talk now'],
    ['refuse', 'may not talk, and gets no other code'],
  ] as const) {
    withOptions(pairing.command(action).description(`${action} who has this code`))
      .argument('<code>', 'the code that the person was given')
      .action(async (code: string, options: DeliveryOptions, command: Command) => {
        const { decide } = await import('./pairings.js');
        const view = await decide(await configurationFrom(command), code, action);
        const who = view.name === '' ? view.sender_id : `${view.name} (${view.sender_id})`;
        tell(options, { pairing: view }, `${who} on ${view.channel} ${done}.`);
      });
  }
  withOptions(pairing.command('forget').description('forget a person: a stranger again'))
    .argument('<channel>', 'the name of the channel')
    .argument('<sender>', 'the id of the person')
    .action(async (channel: string, sender: string, options: DeliveryOptions, command: Command) => {
      const { forget } = await import('./pairings.js');
      const removed = await forget(await configurationFrom(command), channel, sender);
      if (!removed) throw new RunError(`Nobody is known as ${sender} on ${channel}.`);
      tell(options, { removed }, `${sender} on ${channel} is a stranger again.`);
    });
}

function withOptions(command: Command): Command {
  return command.option('--json', 'as JSON').option('--config <file>', 'configuration file');
}

function tell({ json }: DeliveryOptions, value: unknown, words: string): void {
  if (json === true) process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  else process.stderr.write(`${words}\n`);
}

function numberOf(text: string, name: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new RunError(`${name}: expected a number, got ${text}.`, 2);
}
