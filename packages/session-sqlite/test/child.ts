import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';

export interface Child {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  /** Resolves once it has told something. Rejects where it ends before. */
  readonly ready: Promise<void>;
  /** Everything it told, once it has ended. Rejects where it failed. */
  readonly told: Promise<string>;
}

/** Starts a script of the test folder; it does not outlive the test. */
export function startChild(script: string, ...values: readonly (string | number)[]): Child {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...values.map(String)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  const told = once(child, 'close').then(([code, signal]) => {
    if (code === 0 || signal === 'SIGKILL') return text;
    throw new Error(`${script} ended with ${code ?? signal}: ${text}`);
  });
  const ready = Promise.race([
    once(child.stdout, 'data').then(() => undefined),
    told.then(() => Promise.reject(new Error(`${script} ended without a word.`))),
  ]);
  // Whoever does not ask for one of the two is not told of it as of a rejection that nobody heard.
  ready.catch(() => {});
  told.catch(() => {});
  return { process: child, ready, told };
}
