// pnpm bench [NAME …]: each workload beside the limit of the same disk in the same run. BENCH_ROUNDS, default 5.
import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { longSession, manySessions, newFolder, removeFolder } from './folders.mjs';
import { sqlite } from './sqlite.mjs';

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const execute = promisify(execFile);

/** `more`: higher is better. `folder`: made once, copied for each run where a run changes it. */
const workloads = [
  {
    name: 'A',
    what: 'durable append, one session, each awaited',
    unit: '/s',
    more: true,
    options: { count: 10_000 },
  },
  { name: 'A2', what: 'the same, 64 sessions in flight', unit: '/s', more: true, options: { count: 32_000 } },
  {
    name: 'B',
    what: 'cold open + read of 10,000',
    unit: 'ms',
    folder: () => longSession(10_000),
    options: { count: 10_000 },
  },
  {
    name: 'C',
    what: 'last 50 of 100,000, cold',
    unit: 'ms',
    folder: () => longSession(100_000),
    options: {},
  },
  {
    name: 'D',
    what: 'newest 50 of 10,000 sessions, cold with open',
    unit: 'ms',
    folder: () => manySessions(10_000),
    options: {},
  },
  {
    name: 'E',
    what: 'resolve an alias among 10,000',
    unit: 'µs',
    folder: () => manySessions(10_000),
    options: { count: 10_000 },
  },
  {
    name: 'F',
    what: 'first turn of a store of 10,000 sessions',
    unit: 'ms',
    folder: () => manySessions(10_000),
    options: {},
  },
  {
    name: 'G',
    what: 'keep the last 20 of 10,000 + a summary, compacted',
    unit: 'ms',
    folder: () => longSession(10_000),
    changes: true,
    options: {},
  },
  {
    name: 'H',
    what: '200 sessions, appends and tail reads',
    unit: '/s',
    more: true,
    options: { seconds: 5 },
  },
  {
    name: 'I',
    what: 'heap after reading 10,000 sessions once',
    unit: 'MB',
    folder: () => manySessions(10_000),
    options: { count: 10_000 },
  },
];

const wanted = process.argv.slice(2).filter((name) => !name.startsWith('-'));
const folders = new Map();
console.log(
  '| | workload | ours | limit | ratio | better-sqlite3 | beside |\n| --- | --- | --- | --- | --- | --- | --- |',
);
try {
  for (const workload of workloads) {
    if (wanted.length === 0 || wanted.includes(workload.name)) await measure(workload);
  }
} finally {
  for (const folder of folders.values()) removeFolder(folder);
}

async function measure(workload) {
  const contenders = sqlite[workload.name] === undefined ? ['limit', 'ours'] : ['limit', 'ours', 'sqlite'];
  const results = { ours: [], limit: [], sqlite: [] };
  for (let round = 0; round < rounds; round += 1) {
    // Taken in turn, so that what else the machine does falls on both.
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      results[contender].push(await runOnce(workload, contender));
    }
  }
  const ours = median(results.ours.map(({ value }) => value));
  const limit = median(results.limit.map(({ value }) => value));
  const beside = Object.keys(results.ours[0] ?? {})
    .filter((field) => field !== 'value')
    .map((field) => {
      const figures = [results.ours, results.limit].map((all) => all.map((each) => each[field]));
      return `${field} ${figures.map((all) => (all[0] === undefined ? '–' : shown(median(all)))).join(' : ')}`;
    });
  const { name, what, unit } = workload;
  const peer =
    results.sqlite.length === 0 ? '' : `${shown(median(results.sqlite.map(({ value }) => value)))} ${unit}`;
  // Of each round, so that what else the machine does falls on both.
  const ratio = median(results.ours.map(({ value }, round) => value / results.limit[round].value));
  console.log(
    `| ${name} | ${what} | ${shown(ours)} ${unit} | ${shown(limit)} ${unit} | ${ratio.toFixed(2)} | ${peer} | ${beside.join(', ')} |`,
  );
}

async function runOnce(workload, contender) {
  const folder = await folderFor(workload);
  try {
    const script = join(import.meta.dirname, 'workload.mjs');
    const { stdout } = await execute(process.execPath, [
      '--expose-gc',
      script,
      workload.name,
      contender,
      folder.path,
      JSON.stringify(workload.options),
    ]);
    return JSON.parse(stdout);
  } finally {
    if (!folder.isKept) removeFolder(folder.path);
  }
}

async function folderFor({ folder: make, changes = false }) {
  if (make === undefined) return { path: newFolder(), isKept: false };
  const key = String(make);
  if (!folders.has(key)) folders.set(key, await make());
  if (!changes) return { path: folders.get(key), isKept: true };
  const path = newFolder();
  cpSync(folders.get(key), path, { recursive: true });
  return { path, isKept: false };
}

function median(numbers) {
  return numbers.toSorted((left, right) => left - right)[numbers.length >> 1];
}

function shown(number) {
  return number >= 1000 ? Math.round(number).toLocaleString('en') : number.toPrecision(3);
}
