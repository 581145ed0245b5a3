/** Why a command cannot do its work, in one line for the person who called it. */
export class RunError extends Error {
  /** 1: it failed · 2: it was called wrongly. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.name = 'RunError';
    this.exitCode = exitCode;
  }
}
