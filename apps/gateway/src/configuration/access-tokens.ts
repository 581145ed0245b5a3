import type { AccessToken } from './configuration.js';
import type { ConfigurationProblem } from './configuration-error.js';
import type { ConfigurationFile } from './configuration-file.js';
import { type Environment, environmentValue } from './environment.js';

const MIN_LENGTH = 8;

/**
 * The tokens in force: the gateway's own (`HOLDFAST_TOKEN` before `gateway.token`), called `owner` and with every
 * right, then those of `gateway.tokens`. A problem is added for each that cannot be used.
 */
export function accessTokens(
  file: ConfigurationFile,
  environment: Environment,
  source: string,
  problems: ConfigurationProblem[],
): AccessToken[] {
  const own = environmentValue(environment, 'HOLDFAST_TOKEN') ?? file.gateway?.token;
  const tokens: AccessToken[] = own === undefined ? [] : [{ name: 'owner', token: own, scopes: ['admin'] }];
  for (const [index, { name, token_env, scopes }] of (file.gateway?.tokens ?? []).entries()) {
    const complain = (field: string, message: string) =>
      problems.push({ source, path: `gateway.tokens[${index}].${field}`, message });
    const token = environmentValue(environment, token_env);
    if (token === undefined) complain('token_env', `the environment variable ${token_env} is not set`);
    else if (token.length < MIN_LENGTH) {
      complain('token_env', `the token in ${token_env} is shorter than ${MIN_LENGTH} characters`);
    } else if (tokens.some((other) => other.token === token)) {
      complain('token_env', `the token in ${token_env} is that of another name too; each needs its own`);
    } else if (tokens.some((other) => other.name === name)) {
      complain('name', `there is another token called ${name}`);
    } else tokens.push({ name, token, scopes });
  }
  return tokens;
}

/** The token with which a command of this installation speaks to its gateway; undefined where none is in force. */
export function ownToken(tokens: readonly AccessToken[]): string | undefined {
  return (tokens.find(({ scopes }) => scopes.includes('admin')) ?? tokens[0])?.token;
}
