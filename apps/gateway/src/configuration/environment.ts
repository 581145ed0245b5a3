import { z } from 'zod';
import type { ConfigurationProblem } from './configuration-error.js';

/** The environment variables that Holdfast reads, by name. An empty one counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

const portSchema = z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(0).max(65_535));

export function environmentValue(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === undefined || value === '' ? undefined : value;
}

/** `HOLDFAST_PORT` as a number; a problem is added where it is none. */
export function environmentPort(
  environment: Environment,
  problems: ConfigurationProblem[],
): number | undefined {
  const text = environmentValue(environment, 'HOLDFAST_PORT');
  if (text === undefined) return undefined;
  const parsed = portSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  problems.push({
    source: 'HOLDFAST_PORT',
    path: '',
    message: `expected a port from 0 (any free one) to 65535, got ${JSON.stringify(text)}`,
  });
  return undefined;
}
