import { createInterface } from 'node:readline/promises';
import { RunError } from '../run-error.js';

/** Asks the person before something is taken away. Where nobody can be asked, `--yes` has to say it. */
export async function confirm(question: string, isConfirmed: boolean): Promise<void> {
  if (isConfirmed) return;
  if (process.stdin.isTTY !== true) throw new RunError(`${question} Say so with --yes.`, 2);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new RunError('Nothing was changed.');
  } finally {
    terminal.close();
  }
}
