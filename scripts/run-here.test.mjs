import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const module = new URL('./run-here.mjs', import.meta.url).href;
let folder;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-run-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The command line and environment of a process that becomes `program`. */
function becoming(program, { args = [], environment = {} } = {}) {
  const path = join(folder, `program-${Math.random()}.mjs`);
  writeFileSync(path, program);
  const script = `
    import { runHere } from ${JSON.stringify(module)};
    await runHere(${JSON.stringify(path)}, ${JSON.stringify(args)}, ${JSON.stringify(environment)});`;
  return ['--input-type=module', '-e', script];
}

async function run(program, options) {
  const child = spawn(process.execPath, becoming(program, options), {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { leak: 'yes' },
  });
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  return { code, said };
}

describe('runHere', () => {
  it('gives the program its arguments and exactly its environment', async () => {
    const program = 'console.log(JSON.stringify([process.argv.slice(2), process.env]))';
    const { said } = await run(program, { args: ['explain', '--json'], environment: { PATH: '/x' } });
    expect(JSON.parse(said)).toEqual([['explain', '--json'], { PATH: '/x' }]);
  });

  it("keeps the program's exit code, whenever it is set", async () => {
    expect((await run('process.exitCode = 2;')).code).toBe(2);
    expect((await run('setTimeout(() => process.exit(3), 1);')).code).toBe(3);
  });

  it('asks the program to stop when the npm that started it is killed', async () => {
    const program = `
      process.on('SIGTERM', () => { console.log('stopping'); process.exit(0); });
      setInterval(() => {}, 1000);
      console.log('ready');`;
    const npm = `
      const env = { ...process.env, npm_lifecycle_event: 'start' };
      require('node:child_process').spawn(process.execPath, ${JSON.stringify(becoming(program))}, { stdio: 'inherit', env });`;
    const parent = spawn(process.execPath, ['-e', npm], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    // The pipe is open for as long as the program lives.
    await new Promise((resolve) => {
      parent.stdout.on('data', (chunk) => {
        said += chunk;
        if (said === 'ready\n') parent.kill('SIGKILL');
      });
      parent.stdout.on('end', resolve);
    });
    expect(said).toBe('ready\nstopping\n');
  });
});
