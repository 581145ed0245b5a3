// The arrows of the house: what each package of ours may import from the others. A package that is not named here
// may not exist; only apps/gateway knows all of them.
const arrows = {
  'session-scope': [],
  routing: ['session-scope'],
  'session-store': ['session-scope'],
  'memory-jsonl': ['session-store', 'session-scope'],
  'session-sqlite': ['session-store', 'session-scope'],
  'session-postgres': ['session-store', 'session-scope'],
  'session-openclaw': ['session-store', 'session-scope'],
  scheduler: ['session-store', 'session-scope'],
  'agent-runtime': ['session-store', 'routing', 'session-scope'],
};

const packages = Object.keys(arrows);
const oneOf = (names) => `(?:${names.join('|')})`;
// A test may use what its package lists as a development dependency: a real store, a runner, a browser.
const testFiles = ['[.]test[.]tsx?$', '^(?:packages|apps)/[^/]+/(?:test|bench|examples)/'];
// What only a build reads: its configuration, and the page, whose libraries are bundled.
const buildFiles = ['[.]config[.]ts$', '^apps/[^/]+/web/'];

// A peer dependency is listed twice: for whoever installs the package, and for its own tests.
const shipped = ['npm', 'npm-peer', 'npm-optional'];

/** A package of ours, reached by its name, through node_modules, or by a path. */
const ours = (names) => [`^packages/${oneOf(names)}/`, `(?:^|/)@x/${oneOf(names)}(?:/|$)`];

const layers = packages.map((name) => ({
  name: `layer-${name}`,
  comment: `${name} may import of ours: ${arrows[name].join(', ') || 'nothing'}.`,
  severity: 'error',
  from: { path: `^packages/${name}/`, pathNot: testFiles },
  to: { path: ours(packages.filter((other) => other !== name && !arrows[name].includes(other))) },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...layers,
    {
      name: 'unknown-package',
      comment: 'Name a new package and its arrows in .dependency-cruiser.cjs.',
      severity: 'error',
      from: { path: '^packages/', pathNot: `^packages/${oneOf(packages)}/` },
      to: {},
    },
    {
      name: 'no-import-of-apps',
      comment: 'An app is the end of every arrow.',
      severity: 'error',
      from: { path: '^(?:packages|apps)/([^/]+)/' },
      to: { path: ['^apps/', '(?:^|/)@x/gateway'], pathNot: '^apps/$1/' },
    },
    {
      name: 'no-foreign-source',
      comment: 'Another package is reached by its name: what its index does not export is private.',
      severity: 'error',
      from: { path: '^(?:packages|apps)/([^/]+)/' },
      to: { path: '^packages/[^/]+/(?!dist/|node_modules/|package[.]json$)', pathNot: '^packages/$1/' },
    },
    {
      name: 'no-circular',
      comment: 'Two files that need each other are one idea in two places.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolvable',
      comment: 'It is not there: missing from package.json, not exported, or not built yet.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-undeclared',
      comment: 'What a package imports stands in its own package.json.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], dependencyTypesNot: [...shipped, 'npm-dev'] },
    },
    {
      name: 'no-dev-dependency-in-source',
      comment: 'Whoever installs the package does not get its development dependencies.',
      severity: 'error',
      from: { path: '^(?:packages|apps)/', pathNot: [...testFiles, ...buildFiles] },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: shipped },
    },
    {
      name: 'no-test-in-source',
      comment: 'What only a test needs does not ship.',
      severity: 'error',
      from: { path: '^(?:packages|apps)/', pathNot: [...testFiles, ...buildFiles] },
      to: { path: testFiles },
    },
  ],
  options: {
    // Leaves, not holes: an arrow to a built package is still an arrow.
    doNotFollow: { path: '(?:^|/)(?:node_modules|dist)/' },
    exclude: { path: '(?:^|/)(?:[.]turbo|coverage|fixtures|vectors)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      mainFields: ['module', 'main', 'types'],
      extensions: ['.ts', '.tsx', '.mts', '.js', '.mjs', '.cjs', '.json', '.d.ts', '.css'],
    },
  },
};
