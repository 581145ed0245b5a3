import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['bench/run.ts', 'bench/cold-start.ts'],
  outDir: 'bench/dist',
  format: ['esm'],
  clean: true,
  target: 'node20',
});
