import { join, sep } from 'node:path';

export const historyEnding = '.jsonl';
export const metaEnding = '.meta.json';

/** Where things lie. What is not a session's file is kept in a sub-folder, which PicoClaw passes over. */
export interface Layout {
  readonly folder: string;
  readonly own: string;
  readonly lock: string;
  readonly intents: string;
  /** The two files of the shared journal. */
  readonly journals: readonly [string, string];
  readonly index: string;
  /** The index of an earlier time, while the folder is open. */
  readonly indexAside: string;
  /** Files being made, on the same file system as the folder so that they can be renamed into it. */
  readonly staged: string;
  history(name: string): string;
  meta(name: string): string;
}

export function layoutOf(folder: string): Layout {
  const own = join(folder, '.holdfast');
  // Asked for with every append.
  const within = join(folder, sep);
  return {
    folder,
    own,
    lock: join(own, 'lock'),
    intents: join(own, 'intents'),
    journals: [join(own, 'journal-1.log'), join(own, 'journal-2.log')],
    index: join(own, 'index'),
    indexAside: join(own, 'index-aside'),
    staged: join(own, 'staged'),
    history: (name) => within + name + historyEnding,
    meta: (name) => join(folder, name + metaEnding),
  };
}
