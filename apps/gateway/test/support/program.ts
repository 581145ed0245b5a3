import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const program = join(import.meta.dirname, '../../dist/cli.js');

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment of a machine with nothing set up: no keys, no home. */
export function bareEnvironment(folder: string, extra: Readonly<Record<string, string>> = {}) {
  return { PATH: process.env.PATH ?? '', HOME: folder, HOLDFAST_DATA: join(folder, 'data'), ...extra };
}

/** Runs the program to its end. */
export async function holdfast(
  folder: string,
  args: readonly string[],
  options: { readonly input?: string; readonly environment?: Readonly<Record<string, string>> } = {},
): Promise<Finished> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: bareEnvironment(folder, options.environment),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

export interface RunningProgram {
  readonly url: string;
  readonly child: ChildProcess;
  /** Everything on standard error so far. */
  errors(): string;
  /** Ends it and waits; a signal sent to what has ended does nothing. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** `holdfast start` on a free port, over `<folder>/data`. */
export async function startProgram(
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningProgram> {
  const child = spawn(process.execPath, [program, 'start'], {
    cwd: folder,
    env: bareEnvironment(folder, { HOLDFAST_PORT: '0', ...environment }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      const found = /^Holdfast is listening on (\S+)\n/m.exec(stdout)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`The gateway ended with ${code}: ${stderr}`)));
  });
  return {
    url,
    child,
    errors: () => stderr,
    async end(signal = 'SIGTERM') {
      child.kill(signal);
      await exited;
      return child.exitCode;
    },
  };
}
