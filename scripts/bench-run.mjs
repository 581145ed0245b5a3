import { runChild } from './child-process.mjs';
import { childEnvironment } from './environment.mjs';
import { workspacePackages } from './workspace.mjs';

/** Runs the `bench` script of every package that has one, one after the other; names narrow the choice. */
export async function benchRun(root, names) {
  const benches = workspacePackages(root).filter(
    ({ name, manifest }) => manifest.scripts?.bench && (names.length === 0 || names.includes(name)),
  );
  if (benches.length === 0) {
    process.stderr.write('holdfast: no package of that name has a bench script\n');
    return names.length === 0 ? 0 : 2;
  }
  const pnpm = `${root}/.tools/node_modules/pnpm/bin/pnpm.cjs`;
  const env = childEnvironment(root);
  for (const { path } of benches) {
    const args = [pnpm, '--silent', 'run', 'bench'];
    const code = await runChild(process.execPath, args, { cwd: path, env, stdout: 1 });
    if (code !== 0) return code;
  }
  return 0;
}
