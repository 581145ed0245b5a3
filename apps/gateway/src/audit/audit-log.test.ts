import { appendFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type AuditEntry, createAuditLog } from './audit-log.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-audit-'));
  folders.push(folder);
  return join(folder, 'audit.jsonl');
}

const entry = (action: string): AuditEntry => ({
  at: '2026-05-01T10:00:00.000Z',
  who: 'ann',
  action,
  target: {},
  status: 200,
});

test('entries come back newest first, over a restart and behind a line that was cut off', async () => {
  const path = place();
  await createAuditLog(path).record(entry('one'));
  appendFileSync(path, '\n{"at":"2026-05');
  const log = createAuditLog(path);
  await Promise.all([log.record(entry('two')), log.record(entry('three'))]);
  expect((await log.newest(10)).map(({ action }) => action)).toEqual(['three', 'two', 'one']);
  expect((await log.newest(1)).map(({ action }) => action)).toEqual(['three']);
});

test('a full file makes room for the next and is still read', async () => {
  const path = place();
  writeFileSync(path, `${JSON.stringify(entry('old'))}\n${' '.repeat(10 * 1024 * 1024)}`);
  const log = createAuditLog(path);
  await log.record(entry('new'));
  expect(existsSync(`${path}.1`)).toBe(true);
  expect((await log.newest(10)).map(({ action }) => action)).toEqual(['new', 'old']);
});

test('nothing has been changed yet', async () => {
  expect(await createAuditLog(place()).newest(10)).toEqual([]);
});
