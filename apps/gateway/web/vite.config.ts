import { gzipSync } from 'node:zlib';
import preact from '@preact/preset-vite';
import { defineConfig, type Plugin } from 'vite';

/** All the script that the page loads, compressed: what a phone on a slow line waits for. */
const scriptBudgetBytes = 60_000;

/** Prints the compressed size of the script and refuses a build that exceeds the budget. */
function scriptBudget(): Plugin {
  return {
    name: 'holdfast-script-budget',
    apply: 'build',
    generateBundle(_options, bundle) {
      let total = 0;
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') total += gzipSync(file.code, { level: 9 }).length;
      }
      const kilobytes = (total / 1000).toFixed(1);
      const budget = scriptBudgetBytes / 1000;
      if (total > scriptBudgetBytes) {
        this.error(`the page's script is ${kilobytes} kB gzip, over its budget of ${budget} kB`);
      }
      this.info(`script: ${kilobytes} kB gzip of ${budget} kB`);
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [preact({ devToolsEnabled: false, prefreshEnabled: false }), scriptBudget()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The page's CSP has no `data:` for fonts or scripts; small files stay files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
