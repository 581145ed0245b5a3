import { copyFile, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Disk, isCode, syncFolder } from '../disk.js';
import type { Layout } from '../layout.js';

/** Copies of files as they were before a repair, made when the first is asked for. */
export interface Backup {
  /** The folder, once there is one. */
  readonly folder: string | undefined;
  /** What is not there is not kept; what is kept already stays as it was first. */
  keep(path: string): Promise<void>;
  /** Makes the copies safe. */
  sync(): Promise<void>;
}

export function createBackup(disk: Disk, layout: Layout, now: () => Date): Backup {
  const folder = join(layout.own, `backup-${now().toISOString().replaceAll(/[:.]/g, '-')}`);
  const kept = new Set<string>();
  return {
    get folder() {
      return kept.size === 0 ? undefined : folder;
    },
    async keep(path) {
      if (kept.has(path)) return;
      await mkdir(folder, { recursive: true });
      try {
        const copy = join(folder, basename(path));
        await copyFile(path, copy);
        const file = await disk.open(copy, 'r+');
        try {
          await file.sync();
        } finally {
          await file.close();
        }
        kept.add(path);
      } catch (error) {
        if (!isCode(error, 'ENOENT')) throw error;
      }
    },
    async sync() {
      if (kept.size === 0) return;
      await syncFolder(disk, folder);
      await syncFolder(disk, layout.own);
    },
  };
}
