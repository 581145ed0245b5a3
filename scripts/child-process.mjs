import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/**
 * Runs a program to its end. Resolves to its exit code, as a shell would give it.
 * Its words go to standard error: standard output belongs to what is run at the end. `stdout: 1` shares it.
 */
export function runChild(command, args, { cwd, env, stdout = 2 }) {
  return exitCode(spawn(command, args, { cwd, env, stdio: ['ignore', stdout, 2] }));
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

function exitCode(child) {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}
