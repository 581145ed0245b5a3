/** A session store by its kind and place, as `--store` and the configuration name it. */
export interface StoreReference {
  /** `jsonl`: a folder of session files · `sqlite`: one database file. */
  readonly kind: 'jsonl' | 'sqlite';
  /** Absolute. */
  readonly path: string;
}

export const STORE_FORMS = 'jsonl:DIR or sqlite:FILE';

/** The kind and the place, as it was written; undefined where the text names no store of this version. */
export function parseStoreReference(text: string): StoreReference | undefined {
  const [, kind, path = ''] = /^([a-z]+):(.+)$/s.exec(text) ?? [];
  return kind === 'jsonl' || kind === 'sqlite' ? { kind, path } : undefined;
}

export function isSameStore(one: StoreReference, other: StoreReference): boolean {
  return one.kind === other.kind && one.path === other.path;
}

export function storeText({ kind, path }: StoreReference): string {
  return `${kind}:${path}`;
}
