import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { PageStore } from '../state/page-store.js';

export const PageContext = createContext<PageStore | undefined>(undefined);

/** The page's store; every component lives below its provider. */
export function usePage(): PageStore {
  const page = useContext(PageContext);
  if (!page) throw new Error('usePage is called outside the page');
  return page;
}
