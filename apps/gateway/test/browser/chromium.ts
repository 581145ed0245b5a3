import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import bundled from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

/** Beside the installed packages: unpacked once for an installation, and gone with it. */
const unpackedFolder = join(import.meta.dirname, '../../node_modules/.cache/chromium');

/** The browser of the machine where `HOLDFAST_CHROMIUM` names one, else the one that came with the packages. */
async function chromiumPath(): Promise<string> {
  const named = process.env.HOLDFAST_CHROMIUM;
  if (named) return named;
  if (!existsSync(unpackedFolder)) await unpack();
  return join(unpackedFolder, 'chromium');
}

/** The package unpacks into the folder for temporary files, a piece at a time; others see all of it or nothing. */
async function unpack(): Promise<void> {
  const cache = join(unpackedFolder, '..');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'unpacking-'));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    await bundled.executablePath();
    renameSync(folder, unpackedFolder);
  } catch (error) {
    if (!existsSync(unpackedFolder)) throw error;
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await chromiumPath(),
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-dev-shm-usage',
    ],
  });
}
