// Runs before the first paint, so that a chosen theme never flashes. A file of its own: the CSP bars inline script.
(() => {
  try {
    const theme = localStorage.getItem('holdfast.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // Storage can be barred by the browser; the system's theme is then in force.
  }
})();
