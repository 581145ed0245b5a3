import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defineTool, type Tool } from '@x/agent-runtime';
import { z } from 'zod';
import { workspacePlace } from './workspace-path.js';

const LARGEST_FILE_BYTES = 1_000_000;
const MOST_ENTRIES = 500;
const DEFAULT_CHARACTERS = 20_000;
const UNFINISHED = /^\.[0-9a-f-]{36}\.tmp$/;

const pathSchema = z.string().describe('From the workspace, with slashes, such as notes/today.md');

/** Files in one folder, which all sessions of the gateway share. Nothing outside of it is read or written. */
export function workspaceTools(root: string): readonly Tool[] {
  return [
    defineTool({
      name: 'list_files',
      description: 'Lists a folder of the workspace: names and sizes, folders with a slash at the end.',
      inputSchema: z.object({ path: z.string().default('') }),
      runsBesideOthers: true,
      async execute({ path: given }) {
        const { name, path } = await workspacePlace(root, given);
        const all = await readdir(path, { withFileTypes: true }).catch(explained(given));
        const entries = all
          .filter((entry) => (entry.isFile() || entry.isDirectory()) && !UNFINISHED.test(entry.name))
          .sort((first, second) => (first.name < second.name ? -1 : 1));
        const lines = entries.slice(0, MOST_ENTRIES).map(async (entry) => {
          if (entry.isDirectory()) return `${entry.name}/`;
          return `${entry.name} (${(await lstat(join(path, entry.name))).size} bytes)`;
        });
        if (lines.length === 0) return `${name === '' ? 'The workspace' : name} is empty.`;
        const left = entries.length - lines.length;
        return [...(await Promise.all(lines)), ...(left > 0 ? [`[${left} more are not shown.]`] : [])].join(
          '\n',
        );
      },
    }),
    defineTool({
      name: 'read_file',
      description: 'Reads a text file of the workspace.',
      inputSchema: z.object({
        path: pathSchema,
        offset: z.int().min(0).default(0).describe('Characters to pass over, to read on.'),
        max_characters: z.int().min(1).max(100_000).default(DEFAULT_CHARACTERS),
      }),
      runsBesideOthers: true,
      async execute({ path: given, offset, max_characters: limit }) {
        const { path } = await workspacePlace(root, given);
        const text = await readText(path, given);
        const piece = text.slice(offset, offset + limit);
        const rest = text.length - offset - piece.length;
        if (piece === '') return '(nothing there)';
        return rest > 0
          ? `${piece}\n[${rest} more characters: read on with offset ${offset + piece.length}.]`
          : piece;
      },
    }),
    defineTool({
      name: 'write_file',
      description:
        'Writes a text file of the workspace as a whole: what was in it is replaced. Missing folders are made.',
      inputSchema: z.object({ path: pathSchema, content: z.string().max(LARGEST_FILE_BYTES) }),
      async execute({ path: given, content }) {
        const { name, path } = await workspacePlace(root, given, { makeParents: true });
        if (name === '') throw new Error('A file needs a name.');
        const there = await lstat(path).catch(() => undefined);
        if (there !== undefined && !there.isFile()) throw new Error(`${name} is a folder.`);
        await writeWhole(path, content);
        return `${there === undefined ? 'Written' : 'Replaced'}: ${name} (${Buffer.byteLength(content)} bytes).`;
      },
    }),
  ];
}

/** Never over a link: what is opened is a file of its own, with no other name that could lie elsewhere. */
async function readText(path: string, given: string): Promise<string> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file: FileHandle = await open(path, flags).catch(explained(given));
  try {
    const facts = await file.stat();
    const { size } = facts;
    if (!facts.isFile() || facts.nlink > 1)
      throw new Error(`${JSON.stringify(given)} is no file of the workspace alone.`);
    if (size > LARGEST_FILE_BYTES)
      throw new Error(`It has ${size} bytes; at most ${LARGEST_FILE_BYTES} are read.`);
    const content = await file.readFile();
    if (content.includes(0)) throw new Error('It is no text.');
    return content.toString('utf8');
  } finally {
    await file.close();
  }
}

/** Beside its place first: whoever reads meanwhile, or after a crash, sees the old file or the new one. */
async function writeWhole(path: string, content: string): Promise<void> {
  const unfinished = join(dirname(path), `.${randomUUID()}.tmp`);
  try {
    const file = await open(unfinished, 'wx');
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** In words for a model, without a path of the machine. */
function explained(given: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    const reasons: Record<string, string> = {
      ENOENT: 'is not there',
      ENOTDIR: 'is no folder',
      EISDIR: 'is a folder',
      ELOOP: 'is a link; links are not followed',
    };
    throw new Error(
      `${JSON.stringify(given)} ${reasons[error.code ?? ''] ?? `cannot be read (${error.code})`}.`,
    );
  };
}
