import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BootstrapFailed, bootstrap } from './bootstrap.mjs';
import { childEnvironment } from './environment.mjs';
import { runHere } from './run-here.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');
const [command = '', ...args] = process.argv.slice(2);

const commands = {
  start: () => gateway(['start', ...args]),
  holdfast: () => gateway(args),
  test: async () => {
    const { testRun } = await import('./test-run.mjs');
    return testRun(root, args);
  },
  bench: async () => {
    await bootstrap(root);
    const { benchRun } = await import('./bench-run.mjs');
    return benchRun(root, args);
  },
};

async function gateway(gatewayArgs) {
  await bootstrap(root);
  await runHere(join(root, 'apps/gateway/dist/cli.js'), gatewayArgs, childEnvironment(root));
}

if (!Object.hasOwn(commands, command)) {
  process.stderr.write(`usage: node scripts/run.mjs <${Object.keys(commands).join('|')}> [arguments]\n`);
  process.exitCode = 2;
} else {
  try {
    const code = await commands[command]();
    // The gateway sets its own.
    if (code !== undefined) process.exitCode = code;
  } catch (error) {
    if (!(error instanceof BootstrapFailed)) throw error;
    process.stderr.write(`holdfast: ${error.message}\n`);
    process.exitCode = 1;
  }
}
