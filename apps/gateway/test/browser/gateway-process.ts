import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The build of this checkout, or another one to play against. */
const program = process.env.HOLDFAST_PROGRAM ?? join(import.meta.dirname, '../../dist/cli.js');
const startTimeoutMs = 60_000;

/** A real gateway in a process of its own. */
export interface GatewayProcess {
  /** Where its page is, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** As the power cut does it: at once, with no chance to tidy up. */
  kill(): Promise<void>;
  /** As an operator does it. */
  stop(): Promise<void>;
}

/** Starts a gateway over a data folder, with the offline model whatever keys the environment has. */
export async function startGateway(
  data: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<GatewayProcess> {
  const child = spawn(process.execPath, [program, 'start'], {
    cwd: data,
    env: {
      PATH: process.env.PATH,
      HOME: data,
      TZ: process.env.TZ,
      HOLDFAST_DATA: data,
      HOLDFAST_PORT: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const url = await addressOf(child);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  return { url, port: Number(new URL(url).port), kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}

async function addressOf(child: ChildProcess): Promise<string> {
  let output = '';
  let errors = '';
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      child.kill('SIGKILL');
      reject(new Error(`The gateway did not start: ${reason}\n${output}${errors}`));
    };
    const timer = setTimeout(() => fail('no address in time'), startTimeoutMs);
    child.once('exit', (code) => fail(`it ended with ${code}`));
    child.stderr?.on('data', (chunk: Buffer) => {
      errors = (errors + chunk.toString()).slice(-10_000);
    });
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (url === undefined) return;
      clearTimeout(timer);
      child.removeAllListeners('exit');
      resolve(url);
    });
  });
}

/** A folder for one gateway's data, removed when it is disposed of. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'holdfast-browser-'));
  return {
    path,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}
