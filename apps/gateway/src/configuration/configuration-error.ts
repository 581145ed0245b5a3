/** One thing that is wrong with a configuration. */
export interface ConfigurationProblem {
  /** The file, or the environment variable, it was found in. */
  readonly source: string;
  /** Where in the file, such as `session.dimensions[1]`; empty for the file as a whole. */
  readonly path: string;
  /** What was expected and what to do, in one sentence. */
  readonly message: string;
}

/** The configuration cannot be used. The message has one line for each problem. */
export class ConfigurationError extends Error {
  readonly code = 'configuration_invalid';
  readonly problems: readonly ConfigurationProblem[];

  constructor(problems: readonly ConfigurationProblem[]) {
    super(problems.map(problemLine).join('\n'));
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}

function problemLine({ source, path, message }: ConfigurationProblem): string {
  return [source, path, message].filter((part) => part !== '').join(': ');
}
