import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tempFolder } from './folders.js';

export const legacyFixture = join(import.meta.dirname, 'fixtures/picoclaw-legacy/sessions');

/** A copy of the fixture, with files of other programs beside the sessions. */
export async function legacyFolder(): Promise<string> {
  const directory = await tempFolder();
  await cp(legacyFixture, directory, { recursive: true });
  await writeFile(join(directory, 'config.json'), '{"gateway": {"port": 1}}');
  await writeFile(join(directory, 'list.json'), '[1, 2]');
  return directory;
}

/** Every file of the folder itself with its content. */
export async function contentOf(directory: string): Promise<Record<string, string>> {
  const names = (await readdir(directory, { withFileTypes: true })).filter((entry) => entry.isFile());
  return Object.fromEntries(
    await Promise.all(
      names.map(async ({ name }) => [name, await readFile(join(directory, name), 'utf8')] as const),
    ),
  );
}

export function legacyJson(key: string | undefined, texts: readonly string[]): string {
  return JSON.stringify({
    ...(key === undefined ? {} : { key }),
    messages: texts.map((content) => ({ role: 'user', content })),
    summary: '',
    created: '2025-01-01T00:00:00Z',
    updated: '2025-01-02T00:00:00Z',
  });
}
