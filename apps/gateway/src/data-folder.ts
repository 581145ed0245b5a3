import { accessSync, constants } from 'node:fs';
import { makeFolder } from './folder.js';
import { RunError } from './run-error.js';

/** Makes a folder in the data folder, where it is not there yet, and makes sure that this process may write there. */
export function makeDataFolder(data: string, folder: string): void {
  writingData(data, () => {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
  });
}

/** What fails in `write` is told as what it means: the data folder cannot be written. */
export function writingData(data: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new RunError(
      `The data folder ${data} cannot be written (${code}). Set HOLDFAST_DATA to a folder that this user may write.`,
    );
  }
}
