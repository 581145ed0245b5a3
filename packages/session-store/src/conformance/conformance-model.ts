import { defineBackend } from '../define-backend.js';
import { SessionStoreError } from '../errors.js';
import type { SessionMeta } from '../session-meta.js';
import { type Bench, type MakeBackend, openBench } from './bench.js';
import { equal, holds, proving } from './claim.js';
import { type Command, programs } from './program.js';
import { createReferenceModel, Refusal } from './reference-model.js';
import { exported, listed } from './snapshot.js';
import type { Subject } from './subject.js';

export type ModelOptions = {
  /** How many programs. Default 100. */
  readonly runs?: number;
  /** To repeat a run that failed. */
  readonly seed?: number;
};

/** What the programs show. */
export const modelCase = { promise: 'model: any program of calls ends as the contract says' } as const;

/**
 * Random programs of calls, each compared with a simple model of the contract, call by call and at the end in
 * everything that can be seen. Needs `fast-check`, which is loaded here and nowhere else.
 */
export function conformanceModel(subject: Subject, options: ModelOptions = {}): void {
  subject.test(modelCase.promise, () => runModel(subject, options, defineBackend));
}

export async function runModel(
  subject: Pick<Subject, 'create'>,
  { runs = 100, seed }: ModelOptions,
  make: MakeBackend,
): Promise<void> {
  const check = await import('fast-check');
  const property = check.asyncProperty(programs(check), async (program) => {
    const bench = await openBench(subject, make);
    try {
      await proving(modelCase.promise, () => runProgram(bench, program));
    } finally {
      await bench.clearAway();
    }
  });
  await check.assert(property, {
    numRuns: runs,
    // The sentence that names what went wrong belongs beside the program that shows it.
    includeErrorInReport: true,
    ...(seed === undefined ? {} : { seed }),
  });
}

async function runProgram(bench: Bench, program: readonly Command[]): Promise<void> {
  const model = createReferenceModel(bench.now);
  const records = new Map<string, SessionMeta>();

  async function compareAll(what: string): Promise<void> {
    const { backend } = bench;
    const everything = model.everything();
    equal(
      (await exported(backend)).map((entry) =>
        entry.type === 'session' ? withoutRevision(entry.session) : { key: entry.key, ...entry.message },
      ),
      everything.flatMap(({ session, lines }) => [
        session,
        ...lines.map((line) => ({ key: session.key, ...line })),
      ]),
      `everything exported ${what}`,
    );
    for (const archived of ['exclude', 'include', 'only'] as const) {
      for (const deleted of [true, false]) {
        const query = { archived, deleted };
        equal(await keysOf(bench, query), model.list(query), `the list ${JSON.stringify(query)} ${what}`);
      }
    }
    for (const { session } of everything) {
      await compareSession(session.key, what);
      for (const name of [session.key, ...session.aliases]) {
        equal(await backend.resolve(name), model.resolve(name), `where "${name}" leads ${what}`);
      }
    }
  }

  async function compareSession(key: string, what: string): Promise<void> {
    const { backend } = bench;
    const meta = await backend.meta(key);
    equal(meta && withoutRevision(meta), model.meta(key), `the record of "${key}" ${what}`);
    for (const segment of ['active', 'all'] as const) {
      equal(
        await backend.read(key, { segment }),
        model.read(key, { segment }),
        `${segment} of "${key}" ${what}`,
      );
    }
    const before = records.get(key);
    if (meta === undefined) {
      records.delete(key);
      return;
    }
    records.set(key, meta);
    if (before?.createdAt !== meta.createdAt) return;
    const same = JSON.stringify(withoutRevision(before)) === JSON.stringify(withoutRevision(meta));
    holds(
      same ? meta.revision === before.revision : meta.revision > before.revision,
      `the revision of "${key}" went from ${before.revision} to ${meta.revision} ${what}, and the record ${same ? 'stayed' : 'changed'}`,
    );
  }

  for (const [index, command] of program.entries()) {
    bench.elapse(1000);
    const what = `after step ${index + 1}, ${JSON.stringify(command)}`;
    if (command.do === 'reopen') {
      if (bench.capabilities.durable === false) continue;
      await bench.reopen();
      await compareAll(what);
      continue;
    }
    const { actual, expected } = await ask(bench, model, command);
    equal(actual, expected, `the answer ${what}`);
    if ('key' in command) await compareSession(command.key, what);
  }
  await compareAll('at the end');
}

type Model = ReturnType<typeof createReferenceModel>;

/** Asks the store and then the model; ids that the store made up are taken over into the model. */
async function ask(bench: Bench, model: Model, command: Exclude<Command, { do: 'reopen' }>) {
  const { backend } = bench;
  const facts = { agentId: 'main', channel: 'web' };
  switch (command.do) {
    case 'append': {
      const { key, messages } = command;
      const actual = await answer(() => backend.append(key, messages));
      return { actual, expected: await answer(() => model.append(key, messages, madeUp(actual))) };
    }
    case 'replace': {
      const { key, keep } = command;
      const messages = [...(await backend.read(key)).slice(0, keep), ...command.messages];
      const actual = await answer(() => backend.replace(key, messages));
      return { actual, expected: await answer(() => model.replace(key, messages, madeUp(actual))) };
    }
    case 'ensure':
      return both(
        () => backend.ensure(command.key, { ...facts, ...command.facts }),
        () => model.ensure(command.key, command.facts),
      );
    case 'list':
      return both(
        () => keysOf(bench, command.query),
        () => model.list(command.query),
      );
    case 'read':
      return both(
        () => backend.read(command.key, command.range),
        () => model.read(command.key, command.range),
      );
    case 'promote':
      return both(
        () => backend.promote(command.key, command.aliases),
        () => model.promote(command.key, command.aliases),
      );
    case 'truncate':
      return both(
        () => backend.truncate(command.key, command.cut),
        () => model.truncate(command.key, command.cut),
      );
    case 'reset':
      return both(
        () => backend.reset(command.key, command.options),
        () => model.reset(command.key, command.options),
      );
    case 'setSummary':
    case 'rename':
      return both(
        () => backend[command.do](command.key, command.text),
        () => model[command.do](command.key, command.text),
      );
    default:
      return both(
        () => backend[command.do](command.key),
        () => model[command.do](command.key),
      );
  }
}

async function both(actual: () => Promise<unknown>, expected: () => unknown) {
  return { actual: await answer(actual), expected: await answer(expected) };
}

/** What came back, records without their revision, or the code of the refusal. */
async function answer(call: () => unknown): Promise<unknown> {
  try {
    const value = await call();
    return isRecord(value) && isRecord(value.meta)
      ? { ...value, meta: withoutRevision(value.meta) }
      : isRecord(value)
        ? withoutRevision(value)
        : value;
  } catch (error) {
    if (error instanceof SessionStoreError || error instanceof Refusal) return { refused: error.code };
    throw error;
  }
}

function madeUp(actual: unknown): (index: number) => string {
  const appended = Array.isArray(actual) ? (actual as readonly { readonly id: string }[]) : [];
  return (index) => appended[index]?.id ?? 'never given';
}

function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutRevision(record: object): object {
  const { revision: _any, ...rest } = record as { readonly revision?: number };
  return rest;
}

async function keysOf({ backend }: Bench, query: Parameters<typeof listed>[1]): Promise<readonly string[]> {
  return (await listed(backend, query)).map(({ key }) => key);
}
