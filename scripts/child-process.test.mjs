import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { captureChild } from './child-process.mjs';

const module = new URL('./child-process.mjs', import.meta.url).href;

/** A process that supervises `program`; resolves once the program has said "ready". */
async function supervise(program, env = {}) {
  const script = `
    import { superviseChild } from ${JSON.stringify(module)};
    process.exitCode = await superviseChild(process.execPath, ['-e', ${JSON.stringify(program)}], { env: process.env });`;
  const supervisor = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, npm_lifecycle_event: '', ...env },
  });
  let said = '';
  const ended = new Promise((resolve) => supervisor.on('close', (code) => resolve({ code, said })));
  await new Promise((resolve) => {
    supervisor.stdout.on('data', (chunk) => {
      said += chunk;
      if (said.includes('ready')) resolve();
    });
    supervisor.on('close', resolve);
  });
  return { supervisor, ended };
}

const untilSignal = (signal) =>
  `process.on('${signal}', () => { console.log('got ${signal}'); process.exit(7); }); setInterval(() => {}, 1000); console.log('ready');`;

describe('superviseChild', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'])(
    'passes %s on and ends with the code of the program',
    async (signal) => {
      const { supervisor, ended } = await supervise(untilSignal(signal));
      supervisor.kill(signal);
      expect(await ended).toEqual({ code: 7, said: `ready\ngot ${signal}\n` });
    },
  );

  it('reports a program that a signal ended as a shell does', async () => {
    const { ended } = await supervise("process.kill(process.pid, 'SIGKILL')");
    expect((await ended).code).toBe(128 + 9);
  });

  it('stops the program when the npm that started it is killed', async () => {
    const npm = `
      const { spawn } = require('node:child_process');
      const script = ${JSON.stringify(`
        import { superviseChild } from ${JSON.stringify(module)};
        process.exitCode = await superviseChild(process.execPath, ['-e', ${JSON.stringify(untilSignal('SIGTERM'))}], { env: process.env });`)};
      spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: 'inherit',
        env: { ...process.env, npm_lifecycle_event: 'start' },
      });`;
    const parent = spawn(process.execPath, ['-e', npm], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    // The pipe stays open for as long as the program lives: its end is the program's end.
    await new Promise((resolve) => {
      parent.stdout.on('data', (chunk) => {
        said += chunk;
        if (chunk.includes('ready')) parent.kill('SIGKILL');
      });
      parent.stdout.on('end', resolve);
    });
    expect(said).toBe('ready\ngot SIGTERM\n');
  });
});

describe('captureChild', () => {
  it('keeps both streams and the code', async () => {
    const program = "process.stdout.write('a'); process.stderr.write('b'); process.exitCode = 3;";
    const { code, output } = await captureChild(process.execPath, ['-e', program], {
      cwd: '.',
      env: process.env,
    });
    expect(code).toBe(3);
    expect([...output].sort().join('')).toBe('ab');
  });
});
