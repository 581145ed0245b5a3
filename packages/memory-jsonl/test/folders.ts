import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';

const made: string[] = [];

/** A new folder, removed after the test. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'memory-jsonl-'));
  made.push(folder);
  return folder;
}

afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
});

interface PicoclawMessage {
  readonly role: string;
  readonly content: string;
}

/**
 * A session as PicoClaw's rules show it: the file named after the key, `skip` lines that are not empty left out,
 * unreadable ones passed over. Throws where a documented field is missing or has another type.
 */
export async function picoclawView(
  folder: string,
  key: string,
): Promise<{
  readonly summary: string;
  readonly count: number;
  readonly messages: readonly PicoclawMessage[];
}> {
  const name = key.replaceAll(/[:/\\]/g, '_');
  const meta = JSON.parse(await readFile(join(folder, `${name}.meta.json`), 'utf8')) as {
    [name: string]: unknown;
  };
  const fields = {
    key: 'string',
    summary: 'string',
    skip: 'number',
    count: 'number',
    created_at: 'string',
    updated_at: 'string',
  };
  for (const [field, type] of Object.entries(fields)) {
    if (typeof meta[field] !== type) throw new Error(`${name}.meta.json: ${field} is no ${type}`);
  }
  if (meta.key !== key) throw new Error(`${name}.meta.json: key is ${String(meta.key)}`);
  const text = await readFile(join(folder, `${name}.jsonl`), 'utf8').catch(() => '');
  const lines = text
    .split('\n')
    .map((line) => line.replace(/\r$/, ''))
    .filter((line) => line !== '');
  const messages = lines.slice(Number(meta.skip)).flatMap((line) => {
    try {
      const message = JSON.parse(line) as PicoclawMessage;
      if (typeof message.content !== 'string') throw new Error('content is no text');
      return [message];
    } catch {
      return [];
    }
  });
  if (meta.count !== lines.length)
    throw new Error(`${name}.meta.json: count is ${String(meta.count)}, not ${lines.length}`);
  return { summary: String(meta.summary), count: lines.length, messages };
}

export async function filesIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name !== '.holdfast').sort();
}
