import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { parseObject, textOf } from './json-object.js';

/** What a lock file of OpenClaw's says of who has it. Every part may be missing. */
export interface LockHolder {
  readonly pid?: number;
  /** When the process began, in the system's own count: a pid that was given to another has another. */
  readonly starttime?: number;
  /** ISO 8601. */
  readonly createdAt?: string;
  /** Only where Holdfast wrote it. */
  readonly host?: string;
  /** Only where Holdfast wrote it: a lock is told from a later one by it. */
  readonly token?: string;
}

/** What can be seen of the process that a lock names. */
export interface ProcessState {
  readonly isAlive: boolean;
  /** Undefined where the system does not tell. */
  readonly starttime: number | undefined;
}

export interface LockSight {
  readonly holder: LockHolder;
  /** When the file was written, in milliseconds. */
  readonly writtenAt: number;
  readonly now: number;
  /** How long a lock is believed that nothing proves to be held. */
  readonly staleMs: number;
  readonly host: string;
  readonly process: (pid: number) => ProcessState;
}

/** After so long OpenClaw takes a lock of `sessions.json` for forgotten, and one of a transcript. */
export const INDEX_STALE_MS = 30_000;
export const TRANSCRIPT_STALE_MS = 30 * 60_000;

/**
 * Whose a lock is: `gone` where the holder is provably not there any more, `forgotten` where nothing proves that it
 * is there and the lock is older than `staleMs`, else `held`. Pure.
 */
export function judgeLock({
  holder,
  writtenAt,
  now,
  staleMs,
  host,
  process,
}: LockSight): 'held' | 'gone' | 'forgotten' {
  const { pid, starttime } = holder;
  const isOurs = holder.host === undefined || holder.host === host;
  if (pid !== undefined && isOurs) {
    const state = process(pid);
    if (!state.isAlive) return 'gone';
    if (starttime !== undefined && state.starttime !== undefined)
      return starttime === state.starttime ? 'held' : 'gone';
  }
  const said = Date.parse(holder.createdAt ?? '');
  // A time that has not come yet tells nothing; the file's own may.
  const since = Number.isNaN(said) || said > now ? writtenAt : said;
  return since > now || now - since <= staleMs ? 'held' : 'forgotten';
}

/** What a lock file says; nothing where it cannot be read. */
export function readHolder(text: string): LockHolder {
  const value = parseObject(text) ?? {};
  const number = (member: unknown) =>
    typeof member === 'number' && Number.isInteger(member) && member > 0 ? member : undefined;
  const [pid, starttime] = [number(value.pid), number(value.starttime)];
  const [createdAt, host, token] = [textOf(value.createdAt), textOf(value.host), textOf(value.token)];
  return {
    ...(pid === undefined ? {} : { pid }),
    ...(starttime === undefined ? {} : { starttime }),
    ...(createdAt === '' ? {} : { createdAt }),
    ...(host === '' ? {} : { host }),
    ...(token === '' ? {} : { token }),
  };
}

export function thisHolder(now: Date, token: string): LockHolder {
  const { starttime } = processState(process.pid);
  return {
    pid: process.pid,
    createdAt: now.toISOString(),
    ...(starttime === undefined ? {} : { starttime }),
    host: hostname(),
    token,
  };
}

export function processState(pid: number): ProcessState {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return { isAlive: false, starttime: undefined };
  }
  return { isAlive: true, starttime: startOf(pid) };
}

/** In clock ticks since the machine began. Only Linux tells. */
function startOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name stands in brackets and may hold spaces and brackets itself.
    const ticks = Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[19]);
    return Number.isInteger(ticks) ? ticks : undefined;
  } catch {
    return undefined;
  }
}
