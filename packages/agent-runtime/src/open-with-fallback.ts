import { StoreLocked } from '@x/session-store';

/** A start with a new store in place of an old one, as factories: nothing is opened that is not needed. */
export interface StoreStart<Store extends { close(): Promise<void> }> {
  /** Opens the new store. */
  readonly primary: () => Promise<Store>;
  /**
   * Opens the old one. Resolves to undefined where that is not, or no longer, the whole truth: after a seal, or
   * where there never was an old one.
   */
  readonly fallback: () => Promise<Store | undefined>;
  /** Copies the old into the new. Leaves the old as it is; where it rejects, the new one is not used. */
  readonly migrate?: (primary: Store) => Promise<void>;
  /** Makes the move final. Where it rejects, nothing is final. Not called before all of `migrate` is there. */
  readonly seal?: (primary: Store) => Promise<void>;
}

export interface OpenedStore<Store> {
  readonly store: Store;
  readonly source: 'primary' | 'fallback';
  /** Why it is the fallback. */
  readonly failure?: unknown;
}

/**
 * Opens the new store with everything of the old one in it, or else the old one as it is: a run never sees half
 * of either. Rejects where there is no way back, with what made the new store fail; where the old one fails too,
 * with an `AggregateError` of both. A store that another process holds is no reason to go back: `StoreLocked`.
 */
export async function openWithFallback<Store extends { close(): Promise<void> }>(
  start: StoreStart<Store>,
): Promise<OpenedStore<Store>> {
  try {
    return { store: await openPrimary(start), source: 'primary' };
  } catch (failure) {
    if (failure instanceof StoreLocked) throw failure;
    const store = await start.fallback().catch((error: unknown) => {
      if (error instanceof StoreLocked) throw error;
      throw new AggregateError(
        [failure, error],
        `${said(failure)} And the older store fails too: ${said(error)}`,
        {
          cause: failure,
        },
      );
    });
    if (store === undefined) throw failure;
    return { store, source: 'fallback', failure };
  }
}

async function openPrimary<Store extends { close(): Promise<void> }>({
  primary,
  migrate,
  seal,
}: StoreStart<Store>): Promise<Store> {
  const store = await primary();
  try {
    await migrate?.(store);
    await seal?.(store);
    return store;
  } catch (error) {
    // Closed before the old one is opened, so that nothing of this one is written beside it.
    await store.close().catch(() => {});
    throw error;
  }
}

function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
