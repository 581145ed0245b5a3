import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder that is gone when the test has ended. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'session-openclaw-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  return folder;
}

export type FixtureName = 'openclaw' | 'openclaw-full' | 'openclaw-sqlite';

/** A copy of a fixture, to be read as OpenClaw's state folder. */
export function fixtureFolder(name: FixtureName): string {
  const folder = join(temporaryFolder(), name);
  cpSync(join(import.meta.dirname, 'fixtures', name, 'agents'), join(folder, 'agents'), { recursive: true });
  return folder;
}

export function expectation<Shape>(name: FixtureName): Shape {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', name, 'expected.json'), 'utf8'));
}

/** Every file below a folder with its content and time: what must not change where something is only read. */
export function contentOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    names
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [relative(folder, path), `${statSync(path).mtimeMs} ${readFileSync(path, 'base64')}`];
      })
      .sort(),
  );
}
