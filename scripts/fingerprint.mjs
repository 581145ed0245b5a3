import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { workspacePackages } from './workspace.mjs';

/** What decides whether `node_modules` still fits: contents, so that a fresh checkout of the same commit agrees. */
export function installFingerprint(root) {
  const hash = createHash('sha256');
  hash.update(`${process.version} ${process.platform} ${process.arch}`);
  const manifests = workspacePackages(root).map(({ folder }) => `${folder}/package.json`);
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', ...manifests]) {
    const path = join(root, file);
    hash.update(`\n${file}\n`);
    if (existsSync(path)) hash.update(readFileSync(path));
  }
  return hash.digest('hex');
}

// What no build reads. Everything else counts, so that a new kind of source is never overlooked.
const notBuilt = new Set(['node_modules', 'dist', '.turbo', 'coverage', 'test', 'bench', 'examples']);
const notBuiltFile = /\.test\.[cm]?[jt]sx?$|\.md$|\.tsbuildinfo$/;

/** What decides whether `dist` still fits: name, size and time of every source, because it is asked on every start. */
export function buildFingerprint(root) {
  const hash = createHash('sha256');
  hash.update(installFingerprint(root));
  for (const file of ['tsconfig.base.json', 'turbo.json']) addFile(hash, join(root, file), file);
  for (const { folder, path } of workspacePackages(root)) addFolder(hash, path, folder);
  return hash.digest('hex');
}

function addFolder(hash, path, label) {
  const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.isDirectory()) {
      if (!notBuilt.has(entry.name)) addFolder(hash, join(path, entry.name), `${label}/${entry.name}`);
    } else if (!notBuiltFile.test(entry.name)) {
      addFile(hash, join(path, entry.name), `${label}/${entry.name}`);
    }
  }
}

function addFile(hash, path, label) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found) hash.update(`\n${label} ${found.size} ${found.mtimeMs}`);
}

/** A small JSON file that remembers the last success. Unreadable counts as absent: the work is then done again. */
export function readStamp(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

export function writeStamp(path, stamp) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(stamp)}\n`);
}

export function removeStamp(path) {
  rmSync(path, { force: true });
}
