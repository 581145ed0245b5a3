import type { Configuration } from '../configuration/configuration.js';
import { ConfigurationError } from '../configuration/configuration-error.js';
import { modelReferenceText } from '../models/model-reference.js';

/** Says whether the configuration can be used. The exit code: 0 where it can, 1 where not. */
export async function checkConfiguration(
  load: () => Promise<Configuration>,
  asJson: boolean,
): Promise<0 | 1> {
  try {
    const { file, model, agents, data, gateway } = await load();
    if (asJson) process.stdout.write(`${JSON.stringify({ ok: true, file: file ?? null, problems: [] })}\n`);
    else {
      const names = agents.length === 0 ? 'main' : agents.map(({ id }) => id).join(', ');
      process.stderr.write(
        `${file ?? 'No configuration file: the defaults'} can be used. Model ${modelReferenceText(model)}, agents ${names}, data in ${data}, listening on ${gateway.host}:${gateway.port}.\n`,
      );
    }
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const { problems } = error;
    if (asJson)
      process.stdout.write(`${JSON.stringify({ ok: false, file: problems[0]?.source ?? null, problems })}\n`);
    else process.stderr.write(`${error.message}\n`);
    return 1;
  }
}
