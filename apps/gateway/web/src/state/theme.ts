import { createCell } from './cell.js';

export type Theme = 'system' | 'light' | 'dark';

const storageKey = 'holdfast.theme';

function read(): Theme {
  const kept = localStorage.getItem(storageKey);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** The theme in force; `public/theme.js` applies the kept one before the first paint. */
export const theme = createCell<Theme>(read());

theme.subscribe(() => {
  const chosen = theme.get();
  if (chosen === 'system') {
    localStorage.removeItem(storageKey);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(storageKey, chosen);
    document.documentElement.dataset.theme = chosen;
  }
});
