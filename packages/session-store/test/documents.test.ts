import { readFileSync } from 'node:fs';
import { format } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { cases } from '../src/conformance/cases.js';
import * as conformance from '../src/conformance/index.js';
import * as surface from '../src/index.js';

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

describe('the README', () => {
  it('shows the examples as they are', () => {
    for (const file of [
      'examples/first-session.ts',
      'examples/map-driver.ts',
      'examples/stale-or-fresh.ts',
      'test/map-driver.test.ts',
    ]) {
      expect(text('README.md')).toContain(`\`\`\`ts\n${text(file)}\`\`\`\n`);
    }
  });

  it.each([
    ['examples/first-session.js', () => import('../examples/first-session.js')],
    ['examples/stale-or-fresh.js', () => import('../examples/stale-or-fresh.js')],
  ])('says what %s prints', async (_file, run) => {
    const print = vi.spyOn(console, 'log').mockImplementation(() => {});
    await run();
    const printed = print.mock.calls.map(([line]) => `${format(line)}\n`).join('');
    print.mockRestore();
    expect(text('README.md')).toContain(`\`\`\`text\n${printed}\`\`\`\n`);
  });

  it('has a driver of no more than 60 lines', () => {
    expect(text('examples/map-driver.ts').trimEnd().split('\n').length).toBeLessThanOrEqual(60);
  });

  it('lists every error class', () => {
    const codes = Object.values(surface).flatMap((value) =>
      typeof value === 'function' && value.prototype instanceof surface.SessionStoreError ? [value.name] : [],
    );
    const rows = [...text('README.md').matchAll(/^\| `(\w+)` \| .* \| .* \|$/gm)].map(([, code]) => code);
    expect(rows.filter((code) => code !== undefined && /^[A-Z]/.test(code)).sort()).toEqual(codes.sort());
  });
});

describe('the list of promises', () => {
  it('names every case of the kit and no other', () => {
    const listed = [...text('docs/contract.md').matchAll(/^- (.*)$/gm)].map(([, promise]) => promise);
    expect(listed).toEqual(cases.map(({ promise }) => promise));
  });
});

describe('the surface', () => {
  it('exports this and nothing else', () => {
    expect(Object.keys(surface).sort()).toMatchInlineSnapshot(`
      [
        "AliasConflict",
        "InvalidKey",
        "InvalidMessage",
        "LeaseLost",
        "MessageTooLarge",
        "SessionNotFound",
        "SessionStoreError",
        "StoreClosed",
        "StoreCorrupt",
        "StoreFailed",
        "StoreFull",
        "StoreLocked",
        "Unsupported",
        "afterAppend",
        "createMemoryBackend",
        "createMemoryDriver",
        "createSessionStore",
        "defineBackend",
        "isThought",
        "messageOrigin",
        "messageSchema",
        "messageText",
        "newMeta",
        "pageOf",
      ]
    `);
    expect(Object.keys(conformance).sort()).toMatchInlineSnapshot(`
      [
        "conformance",
        "conformanceModel",
      ]
    `);
  });
});
