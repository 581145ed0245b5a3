import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { isatty } from 'node:tty';

/** Runs a program to its end with its words on standard error. Resolves to the exit code. */
export function runChild(command, args, { cwd, env }) {
  return exitCode(spawn(command, args, { cwd, env, stdio: ['ignore', 2, 2] }));
}

/** Runs a program to its end and keeps what it said, both streams in the order of arrival. */
export async function captureChild(command, args, { cwd, env }) {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  const code = await exitCode(child);
  return { code, output: Buffer.concat(chunks).toString('utf8') };
}

/**
 * Runs a program in this one's place: same streams, signals passed on, its exit code returned.
 * When npm started us and is gone, the program is asked to stop: nobody is left to stop it.
 */
export function superviseChild(command, args, { env }) {
  const child = spawn(command, args, { env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the whole group; a second one would mean "at once".
      if (signal === 'SIGINT' && isatty(0)) return;
      child.kill(signal);
    });
  }
  if (process.env.npm_lifecycle_event) {
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(watch);
      child.kill('SIGTERM');
    }, 500);
    watch.unref();
  }
  return exitCode(child);
}

function exitCode(child) {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}
