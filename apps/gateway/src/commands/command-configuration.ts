import type { Command } from 'commander';
import type { Configuration } from '../configuration/configuration.js';
import { loadConfiguration } from '../configuration/load-configuration.js';

/** The configuration in force for a command: `--config` may stand before or after its name. */
export function configurationFrom(command: Command): Configuration {
  const { config } = command.optsWithGlobals<{ readonly config?: string }>();
  return loadConfiguration({ file: config, environment: process.env, folder: process.cwd() });
}
