import type { Command } from 'commander';
import { configurationFrom } from './command-configuration.js';
import type { JobFlags } from './job-flags.js';

interface JobOptions {
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly state?: string;
}

/** `jobs …`: what is done at its time. All but `run` works with and without a running gateway. */
export function addJobCommands(program: Command): void {
  const jobs = program.command('jobs').description('look at what is done at its time, and change it');

  withOptions(jobs.command('list').description('list the jobs, oldest first'), 'as an array of objects')
    .option('--state <state>', 'only those that are scheduled, running, paused or completed')
    .action(async (options: JobOptions, command: Command) => {
      const { listJobs } = await import('./jobs.js');
      process.stdout.write(
        await listJobs(await configurationFrom(command), options.state, options.json === true),
      );
    });

  withOptions(jobs.command('show').description('show one job'), 'as one object: {job}')
    .argument('<id>', 'its id, as list shows it')
    .action(async (id: string, options: JobOptions, command: Command) => {
      const { showJob } = await import('./jobs.js');
      process.stdout.write(await showJob(await configurationFrom(command), id, options.json === true));
    });

  withOptions(jobs.command('add').description('make a job: when, and what'), 'as one object: {job}')
    .option('--in <seconds>', 'when: once, so many seconds from now')
    .option('--every <seconds>', 'when: every so many seconds')
    .option('--first-after <seconds>', 'with --every: the first time after so many seconds')
    .option('--at <time>', 'when: once, at an ISO 8601 time with its offset')
    .option('--cron <expression>', 'when: by a cron expression of five fields, or six with seconds')
    .option('--time-zone <zone>', 'with --cron: the zone of its times, such as Europe/Berlin')
    .option('--prompt <text>', 'what: say this to the agent, who answers')
    .option('--fresh', 'with --prompt: the conversation begins anew first')
    .option('--system <text>', 'with --prompt: instructions that come before it')
    .option('--sender <id>', 'with --prompt: who seems to speak')
    .option('--message <text>', 'what: say this in the chat as it is')
    .option('--event <name>', 'what: an event of the gateway, such as session_cleanup')
    .option('--session <name>', 'where: a session by key, alias or name')
    .option('--channel <channel>', 'where: a chat of this channel')
    .option('--chat <id>', 'with --channel: which chat')
    .option('--chat-type <type>', 'with --channel: direct, group …')
    .option('--topic <id>', 'with --channel: which topic of it')
    .option('--id <id>', 'its name (default: one is made up)')
    .option('--title <title>', 'what it is for, for people')
    .option('--max-runs <number>', 'completed after so many runs')
    .option('--missed-runs <policy>', 'what passed while nothing ran: skip, once or all')
    .action(async (options: JobFlags & JobOptions, command: Command) => {
      const { addJob } = await import('./jobs.js');
      const job = await addJob(await configurationFrom(command), options);
      tell(options, { job }, `Made: job ${job.id}, next at ${job.next_fire_at}.`);
    });

  for (const [name, description, done] of [
    ['pause', 'run a job no more until it is resumed', 'is paused.'],
    ['resume', 'let a paused job go on', 'goes on.'],
  ] as const) {
    withOptions(jobs.command(name).description(description), 'as one object: {job}')
      .argument('<id>', 'its id, as list shows it')
      .action(async (id: string, options: JobOptions, command: Command) => {
        const { changeJobState } = await import('./jobs.js');
        const job = await changeJobState(await configurationFrom(command), name, id);
        tell(options, { job }, `Job ${job.id} ${done}`);
      });
  }

  withOptions(
    jobs
      .command('delete')
      .description('delete a job; one of the configuration comes back with the next start'),
    'as one object: {job}',
  )
    .argument('<id>', 'its id, as list shows it')
    .option('--yes', 'do not ask')
    .action(async (id: string, options: JobOptions, command: Command) => {
      const { deleteJob } = await import('./jobs.js');
      const job = await deleteJob(await configurationFrom(command), id, options.yes === true);
      tell(options, { job }, `Job ${job.id} is gone.`);
    });

  withOptions(
    jobs.command('run').description('run a job now, beside its schedule: in the running gateway, else here'),
    'as one object: {job}',
  )
    .argument('<id>', 'its id, as list shows it')
    .action(async (id: string, options: JobOptions, command: Command) => {
      const { runJobNow } = await import('./job-run.js');
      const { job, isOver } = await runJobNow(await configurationFrom(command), process.env, id);
      const outcome =
        job.last_error === null ? (job.last_status ?? '') : `${job.last_status}: ${job.last_error}`;
      tell(options, { job }, isOver ? `Job ${id} has run: ${outcome}` : `Job ${id} runs.`);
      if (isOver && job.last_status === 'error') process.exitCode = 1;
    });
}

function withOptions(command: Command, json: string): Command {
  return command.option('--json', json).option('--config <file>', 'configuration file');
}

function tell(options: JobOptions, value: unknown, words: string): void {
  if (options.json === true) process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  else process.stderr.write(`${words}\n`);
}
