import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/cli.ts'],
  format: ['esm'],
  // The page is built into the same folder by another tool.
  clean: ['!web/**'],
  target: 'node20',
});
