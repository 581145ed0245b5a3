import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

// npm hands its whole configuration down as variables, and pnpm reads them as its own. Only how to reach the
// registry, where to cache, and how to compile may pass.
const passes =
  /^npm_config_(?:\/\/.*|@.*|registry|.*proxy|noproxy|ca|cafile|cert|key|strict[-_]ssl|userconfig|globalconfig|cache|store[-_]dir|fetch[-_].*|maxsockets|network[-_].*|nodedir|python|build[-_]from[-_]source)$/i;
const npmOwn = /^npm_(?:config|package|lifecycle)_|^npm_(?:command|execpath|node_execpath)$/i;

/**
 * The variables every child runs with: the project's own pnpm and tools first on PATH, npm's leaks dropped,
 * Node's headers named where they lie beside the running Node, nothing sent anywhere.
 * @param {string} root
 * @param {NodeJS.ProcessEnv} [inherited]
 */
export function childEnvironment(root, inherited = process.env) {
  const environment = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (npmOwn.test(name) && !passes.test(name)) continue;
    environment[name] = value;
  }
  const nodeFolder = dirname(process.execPath);
  environment.PATH = [
    join(root, '.tools/node_modules/.bin'),
    join(root, 'node_modules/.bin'),
    inherited.PATH ?? '',
    nodeFolder,
  ].join(delimiter);
  const prefix = dirname(nodeFolder);
  if (!environment.npm_config_nodedir && existsSync(join(prefix, 'include/node/node.h'))) {
    environment.npm_config_nodedir = prefix;
  }
  environment.TURBO_TELEMETRY_DISABLED = '1';
  environment.DO_NOT_TRACK = '1';
  environment.npm_config_update_notifier = 'false';
  if (!inherited.HOME && process.platform !== 'win32') environment.HOME = spareHome(root);
  return environment;
}

/** pnpm and npm keep their stores under HOME; without one they would write into the current folder. */
function spareHome(root) {
  let home = '';
  try {
    home = homedir();
  } catch {
    // No entry for this user: the project's own folder serves.
  }
  if (home && existsSync(home)) return home;
  const own = join(root, '.tools/home');
  mkdirSync(own, { recursive: true });
  return own;
}

// What a developer's shell may carry and a test must not feel.
const ambient =
  /^HOLDFAST_|^(?:OPENAI|ANTHROPIC|GOOGLE|GOOGLE_GENERATIVE_AI|GEMINI)_|^(?:NODE_ENV|FORCE_COLOR)$/;

/** `childEnvironment` without what would make a test's outcome depend on whose machine it runs on. */
export function testEnvironment(root, inherited = process.env) {
  const entries = Object.entries(childEnvironment(root, inherited));
  const environment = Object.fromEntries(entries.filter(([name]) => !ambient.test(name)));
  if (!process.stdout.isTTY) environment.NO_COLOR = '1';
  return environment;
}
