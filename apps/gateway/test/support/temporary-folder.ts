import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder that is gone when the test has ended. */
export function temporaryFolder(): string {
  const folder = keptFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** A folder for a whole file of tests; whoever asks for it removes it. */
export function keptFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-gateway-')));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
