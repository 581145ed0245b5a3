import { readFile } from 'node:fs/promises';

/** What a file says; undefined where there is none. */
export async function textIfThere(path: string): Promise<string | undefined> {
  return (await bytesIfThere(path))?.toString('utf8');
}

export async function bytesIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
