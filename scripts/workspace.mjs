import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const groups = ['packages', 'apps', 'examples'];

/**
 * The packages of the workspace, in a fixed order.
 * @param {string} root
 * @returns {{ name: string, group: string, folder: string, path: string, manifest: Record<string, any> }[]}
 *   `folder` is relative to `root` ("packages/routing"), `path` absolute.
 */
export function workspacePackages(root) {
  const found = [];
  for (const group of groups) {
    if (!existsSync(join(root, group))) continue;
    for (const name of readdirSync(join(root, group)).sort()) {
      const path = join(root, group, name);
      const manifestPath = join(path, 'package.json');
      if (!existsSync(manifestPath)) continue;
      const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'));
      found.push({ name, group, folder: `${group}/${name}`, path, manifest });
    }
  }
  return found;
}
