import { AssertionError } from 'node:assert';
import { describe, expect, it } from 'vitest';
import type { MakeBackend } from '../src/conformance/bench.js';
import { runCase } from '../src/conformance/case.js';
import { cases } from '../src/conformance/cases.js';
import { modelCase, runModel } from '../src/conformance/conformance-model.js';
import type { Trial } from '../src/conformance/index.js';
import { defineBackend } from '../src/index.js';
import { keptMemory } from './kept-memory.js';
import { wrongAppends, wrongOrders, wrongReads, wrongReplacements } from './wrong-drivers/messages.js';
import { wrongAliases, wrongKeys, wrongPromotions } from './wrong-drivers/names.js';
import { wrongClosings, wrongErrors, wrongLeases, wrongSharings } from './wrong-drivers/processes.js';
import {
  wrongClearings,
  wrongCompactions,
  wrongResets,
  wrongSummaries,
  wrongTruncations,
} from './wrong-drivers/segments.js';
import {
  wrongEnsurings,
  wrongLists,
  wrongLives,
  wrongSearches,
  wrongTransfers,
} from './wrong-drivers/sessions.js';
import { changing, hoarding, recording, restless, type Wrong, type Wrongs } from './wrong-drivers/wrong.js';

const wrongs: Wrongs = {
  ...wrongEnsurings,
  ...wrongAliases,
  ...wrongPromotions,
  ...wrongAppends,
  ...wrongReads,
  ...wrongSummaries,
  ...wrongReplacements,
  ...wrongTruncations,
  ...wrongResets,
  ...wrongCompactions,
  ...wrongClearings,
  ...wrongLists,
  ...wrongLives,
  ...wrongSearches,
  ...wrongTransfers,
  ...wrongOrders,
  ...wrongKeys,
  ...wrongLeases,
  ...wrongSharings,
  ...wrongErrors,
  ...wrongClosings,
};

function trialOf({ driver }: Wrong): Trial {
  const right = keptMemory();
  return {
    async open() {
      const opened = await right.open();
      return driver?.(opened) ?? opened;
    },
  };
}

function makerOf({ backend }: Wrong): MakeBackend {
  return (driver, options) => {
    const right = defineBackend(driver, options);
    return backend?.(right, driver) ?? right;
  };
}

async function failureOf(run: Promise<void>): Promise<unknown> {
  return run.then(
    () => 'nothing was noticed',
    (error: unknown) => error,
  );
}

/** The kit's answer to a store that breaks this promise. */
function caught(promise: string, wrong: Wrong): Promise<unknown> {
  const each = cases.find((candidate) => candidate.promise === promise);
  if (each === undefined) return Promise.resolve('there is no such case');
  return failureOf(runCase({ create: async () => trialOf(wrong) }, each, makerOf(wrong)));
}

describe('the conformance kit', () => {
  it('has a wrong store for every promise, and no promise twice', () => {
    const promises = cases.map(({ promise }) => promise);
    expect(new Set(promises).size).toBe(promises.length);
    expect(Object.keys(wrongs).sort()).toEqual([...promises].sort());
  });

  for (const [promise, wrong] of Object.entries(wrongs)) {
    it(`catches a store that breaks "${promise}"`, async () => {
      const failure = await caught(promise, wrong);
      expect(failure).toBeInstanceOf(AssertionError);
      expect((failure as AssertionError).message.slice(0, promise.length + 2)).toBe(`${promise}: `);
    });
  }

  it('catches a store that forgets on closing what it said was stored', async () => {
    let opened = 0;
    const right = keptMemory();
    const forgetful: Trial = {
      async open() {
        const driver = await right.open();
        opened += 1;
        return opened === 1
          ? driver
          : { ...driver, load: async (key) => without(await driver.load(key), { summary: '' }) };
      },
    };
    const promise = 'setSummary: the summary is what was set last, and nothing else changes';
    const each = cases.find((candidate) => candidate.promise === promise);
    const failure =
      each && (await failureOf(runCase({ create: async () => forgetful }, each, defineBackend)));
    expect(String(failure)).toContain(`${promise}: what is there after closing and opening again: expected`);
  });

  it('catches a store that does not close', async () => {
    const promise = 'clear: other sessions are not touched';
    const stuck: Wrong = {
      driver: (right) => ({
        ...right,
        async close() {
          throw new Error('the door is stuck');
        },
      }),
    };
    expect(String(await caught(promise, stuck))).toContain(
      `${promise}: unexpected StoreFailed: close failed`,
    );
  });
});

const forModel: { readonly [fault: string]: Wrong } = {
  'keeps what it should drop': hoarding,
  'takes any change for activity': restless,
  'forgets the counters of a session': recording((meta) => ({
    ...meta,
    userTurns: Math.min(meta.userTurns, 3),
  })),
  'loses the aliases of a promoted history': changing((change) =>
    change.adopt === undefined ? change : { ...change, claim: [] },
  ),
  'loses the bin when it is written to': recording(({ bin: _lost, ...meta }) => meta),
  'does not count what it changes': recording((meta) => ({ ...meta, revision: 1 })),
};

describe('the model', () => {
  for (const [fault, wrong] of Object.entries(forModel)) {
    it(`catches a store that ${fault}`, async () => {
      const subject = { create: async () => trialOf(wrong) };
      const failure = await failureOf(runModel(subject, { runs: 1000, seed: 1 }, makerOf(wrong)));
      expect(failure).toBeInstanceOf(Error);
      expect((failure as Error).message).toContain(`${modelCase.promise}: `);
    });
  }
});

function without<T extends object>(value: T | undefined, other: Partial<T>): T | undefined {
  return value && { ...value, ...other };
}
