// One workload of one contender in a process of its own: node --expose-gc workload.mjs NAME CONTENDER FOLDER OPTIONS
import { limits } from './limits.mjs';
import { ours } from './ours.mjs';
import { sqlite } from './sqlite.mjs';

const [name, contender, folder, options] = process.argv.slice(2);
const run = { ours, limit: limits, sqlite }[contender][name];
process.stdout.write(`${JSON.stringify(await run(folder, JSON.parse(options)))}\n`);
