import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from './child-process.mjs';
import { childEnvironment } from './environment.mjs';
import { buildFingerprint, installFingerprint, readStamp, removeStamp, writeStamp } from './fingerprint.mjs';
import { withLockFolder } from './lock-folder.mjs';
import { workspacePackages } from './workspace.mjs';

/** The first step that could not be done. `step` is "pnpm", "install" or "build". */
export class BootstrapFailed extends Error {
  constructor(step, message) {
    super(message);
    this.name = 'BootstrapFailed';
    this.step = step;
  }
}

/**
 * Makes the tree runnable: pnpm, node_modules, dist. Does only what is out of date; when nothing is, it reads a
 * few hundred file times and returns. Concurrent calls wait for each other.
 * @param {string} root
 * @throws {BootstrapFailed}
 */
export async function bootstrap(root) {
  if (isBuilt(root)) return;
  await locked(root, async () => {
    if (isBuilt(root)) return;
    await install(root);
    await build(root);
  });
}

const locked = (root, work) =>
  withLockFolder(join(root, '.tools/lock'), work, {
    onWait: (pid) => say(`waiting for process ${pid}, which is preparing the same folder`),
  });

const installStamp = (root) => join(root, 'node_modules/.holdfast-install.json');
const buildStamp = (root) => join(root, 'node_modules/.holdfast-build.json');

function isInstalled(root) {
  return (
    readStamp(installStamp(root))?.fingerprint === installFingerprint(root) &&
    workspacePackages(root).every(({ path }) => existsSync(join(path, 'node_modules')))
  );
}

function isBuilt(root) {
  return (
    readStamp(buildStamp(root))?.fingerprint === buildFingerprint(root) &&
    isInstalled(root) &&
    workspacePackages(root).every(
      ({ path, manifest }) => !manifest.scripts?.build || existsSync(join(path, 'dist')),
    )
  );
}

async function install(root) {
  const pnpm = await pinnedPnpm(root);
  if (isInstalled(root)) return;
  const fingerprint = installFingerprint(root);
  const before = readStamp(installStamp(root));
  removeStamp(installStamp(root));
  say('installing packages (the first time this takes a minute or two)');
  const environment = childEnvironment(root);
  // pnpm leaves development dependencies out when this says "production".
  delete environment.NODE_ENV;
  const inRoot = { cwd: root, env: environment };
  // Nobody is there to be asked whether a folder of another pnpm may go.
  const args = [pnpm, 'install', '--frozen-lockfile', '--config.confirmModulesPurge=false'];
  const installed = await runChild(process.execPath, args, inRoot);
  if (installed !== 0) throw new BootstrapFailed('install', `pnpm install ended with code ${installed}`);
  if (before && before.abi !== process.versions.modules) {
    // An unchanged lock file makes pnpm keep what was compiled for the other Node.
    const rebuilt = await runChild(process.execPath, [pnpm, 'rebuild', '--recursive'], inRoot);
    if (rebuilt !== 0) throw new BootstrapFailed('install', `pnpm rebuild ended with code ${rebuilt}`);
  }
  writeStamp(installStamp(root), { fingerprint, abi: process.versions.modules });
}

async function build(root) {
  // Taken before: a source that changes meanwhile makes the next run build again.
  const fingerprint = buildFingerprint(root);
  removeStamp(buildStamp(root));
  say('building');
  const environment = childEnvironment(root);
  delete environment.NODE_ENV;
  const turbo = join(root, 'node_modules/turbo/bin/turbo');
  const args = [turbo, 'run', 'build', '--output-logs=errors-only', '--continue'];
  const code = await runChild(process.execPath, args, { cwd: root, env: environment });
  if (code !== 0) throw new BootstrapFailed('build', `turbo run build ended with code ${code}`);
  writeStamp(buildStamp(root), { fingerprint });
}

/** The path of the pnpm that `packageManager` names, put into `.tools` when it is not there yet. */
async function pinnedPnpm(root) {
  const { packageManager = '' } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const version = /^pnpm@([^+]+)/.exec(packageManager)?.[1];
  if (!version)
    throw new BootstrapFailed('pnpm', `package.json names no pnpm in packageManager: "${packageManager}"`);
  const folder = join(root, '.tools');
  const manifest = join(folder, 'node_modules/pnpm/package.json');
  if (readStamp(manifest)?.version !== version) {
    say(`fetching pnpm ${version}`);
    mkdirSync(folder, { recursive: true });
    const args = ['install', '--prefix', folder, '--no-save', '--no-package-lock', '--no-audit', '--no-fund'];
    const code = await runNpm([...args, `pnpm@${version}`], { cwd: folder, env: childEnvironment(root) });
    if (code !== 0) throw new BootstrapFailed('pnpm', `npm could not install pnpm ${version} (code ${code})`);
  }
  return join(folder, 'node_modules/pnpm/bin/pnpm.cjs');
}

function runNpm(args, options) {
  const npm = process.env.npm_execpath;
  if (npm && /npm-cli\.[cm]?js$/.test(npm)) return runChild(process.execPath, [npm, ...args], options);
  return runChild('npm', args, options);
}

/** Progress is for people: standard output belongs to the program that follows. */
function say(words) {
  process.stderr.write(`holdfast: ${words}\n`);
}
