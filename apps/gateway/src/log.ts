import { pino } from 'pino';

/** Structured log on standard error: JSON lines, or short lines for a person at a terminal. Never message texts. */
export type Log = ReturnType<typeof createLog>;

const SECRETS = ['token', 'authorization', 'api_key', 'apiKey', 'password', 'secret', 'cookie'];

export function createLog(level: string, isTerminal: boolean) {
  return pino(
    {
      level,
      redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[hidden]' },
      serializers: { err: loggedError, error: loggedError },
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    isTerminal
      ? { write: (line: string) => void process.stderr.write(shortLine(line)) }
      : pino.destination({ fd: 2, sync: true }),
  );
}

/** What went wrong and where. The rest of an error may hold what people wrote: a model's error holds the whole prompt. */
function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack } = error;
  const code = 'code' in error ? { code: String(error.code) } : {};
  return {
    name,
    message,
    ...code,
    stack,
    ...(error.cause === undefined ? {} : { cause: String(error.cause) }),
  };
}

const UNSHOWN = new Set(['level', 'time', 'pid', 'msg']);

/** One JSON line of the log as a short one. */
export function shortLine(line: string): string {
  const { level, time, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const facts = Object.entries(rest)
    .filter(([name]) => !UNSHOWN.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const label = pino.levels.labels[Number(level)] ?? 'info';
  return `${[String(time).slice(11, 19), label.padEnd(5), String(msg ?? ''), ...facts].join(' ')}\n`;
}
