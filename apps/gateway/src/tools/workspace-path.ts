import { lstat, mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** A place in a workspace that was found to lie in it. */
export interface WorkspacePlace {
  /** As the tools write it: with slashes, from the workspace; empty for the workspace itself. */
  readonly name: string;
  readonly path: string;
}

const LONGEST_PATH = 1_000;

/**
 * The place that a name given by a model stands for. Rejects with a sentence where it leaves the workspace: by a part
 * `..`, an absolute path, a link anywhere on the way, or another spelling (case, short names) of something that is
 * there. With `makeParents`, missing folders are made, each looked at before the next.
 */
export async function workspacePlace(
  root: string,
  given: string,
  { makeParents = false } = {},
): Promise<WorkspacePlace> {
  const parts = judgedParts(given);
  let path = await realpath(root);
  for (const [index, part] of parts.entries()) {
    path = join(path, part);
    if (!(await isThere(path, given)) && makeParents && index < parts.length - 1) await mkdir(path);
  }
  return { name: parts.join('/'), path };
}

function judgedParts(given: string): readonly string[] {
  // A backslash separates, and a colon names drives and streams, on systems that the folder may come from or go to.
  if (given.length > LONGEST_PATH || /[\\:\p{Cc}]/u.test(given))
    throw new Error(`${shown(given)} is no path in the workspace.`);
  if (given.startsWith('/') || given.startsWith('~')) throw outside(given);
  const parts = given.split('/').filter((part) => part !== '' && part !== '.');
  // Windows drops dots and blanks at the end of a name: "..", ". ." and "a." would be other names there.
  if (parts.some((part) => /^\.+\s*$|[. ]$/.test(part))) throw outside(given);
  return parts;
}

async function isThere(path: string, given: string): Promise<boolean> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Error(`${shown(given)} cannot be reached (${error.code ?? 'unknown'}).`);
  });
  if (found === undefined) return false;
  if (found.isSymbolicLink()) throw new Error(`${shown(given)} leads over a link. Links are not followed.`);
  if ((await realpath(path)) !== path) throw new Error(`${shown(given)} is spelled in another way there.`);
  return true;
}

function outside(given: string): Error {
  return new Error(`${shown(given)} lies outside the workspace.`);
}

function shown(given: string): string {
  return JSON.stringify(given.slice(0, 200));
}
