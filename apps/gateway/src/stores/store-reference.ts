import { realpathSync } from 'node:fs';

/** A session store by its kind and place, as `--store` and the configuration name it. */
export interface StoreReference {
  /** `jsonl`: a folder of session files · `sqlite`: one database file · `openclaw`: OpenClaw's folder, only read. */
  readonly kind: 'jsonl' | 'sqlite' | 'openclaw';
  /** Absolute. */
  readonly path: string;
}

export const STORE_FORMS = 'jsonl:DIR, sqlite:FILE or openclaw:DIR';

/** The kind and the place, as it was written; undefined where the text names no store of this version. */
export function parseStoreReference(text: string): StoreReference | undefined {
  const [, kind, path = ''] = /^([a-z]+):(.+)$/s.exec(text) ?? [];
  return kind === 'jsonl' || kind === 'sqlite' || kind === 'openclaw' ? { kind, path } : undefined;
}

/** True for a store that is a folder, not a file. */
export function isFolderStore({ kind }: Pick<StoreReference, 'kind'>): boolean {
  return kind !== 'sqlite';
}

/** True also where one is named by a link to the other. */
export function isSameStore(one: StoreReference, other: StoreReference): boolean {
  return one.kind === other.kind && realPath(one.path) === realPath(other.path);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

export function storeText({ kind, path }: StoreReference): string {
  return `${kind}:${path}`;
}
