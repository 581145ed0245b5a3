import { defineConfig } from 'vitest/config';

/** Shared by every package: `vitest run` in a package folder picks this up through `--config`. */
export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
