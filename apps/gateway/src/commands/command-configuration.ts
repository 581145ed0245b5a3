import type { Command } from 'commander';
import type { Configuration } from '../configuration/configuration.js';

/** The configuration in force for a command: `--config` may stand before or after its name. */
export async function configurationFrom(command: Command): Promise<Configuration> {
  // Help and version answer at once: what only the others need is loaded by them.
  const { loadConfiguration } = await import('../configuration/load-configuration.js');
  const { config } = command.optsWithGlobals<{ readonly config?: string }>();
  return loadConfiguration({ file: config, environment: process.env, folder: process.cwd() });
}
