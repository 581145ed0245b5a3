import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { workspacePackages } from './workspace.mjs';

/**
 * What no other tool looks at: files named after nothing, loose ends, traces of a machine, packages that lack what
 * a package has. `problems` fail the run; `notes` are only said.
 * @param {string} root
 * @param {string[]} files paths relative to `root`: what is tracked, or about to be
 * @returns {{ problems: string[], notes: string[] }}
 */
export function checkNames(root, files) {
  const text = (file) => readFileSync(join(root, file), 'utf8');
  const sources = files.filter((file) => /^(?:packages|apps)\/[^/]+\/(?:src|web|test)\/.*\.tsx?$/.test(file));
  const readable = files.filter((file) => !isData(file) && !isBinary(file));
  const packages = workspacePackages(root).filter(({ group }) => group === 'packages');
  return {
    problems: [
      ...files.flatMap(drawers),
      ...sources.flatMap((file) => looseEnds(file, text(file))),
      ...readable.flatMap((file) => traces(file, text(file))),
      ...packages.flatMap((each) => lacks(root, each)),
    ],
    notes: packages
      .filter(({ folder }) => !files.some((file) => file.startsWith(`${folder}/`) && isTest(file)))
      .map(({ folder }) => `${folder} has no test`),
  };
}

const isTest = (file) => /\.test\.[cm]?[jt]sx?$/.test(file);
const isData = (file) => /(?:^|\/)(?:fixtures|vectors)\//.test(file) || file === 'pnpm-lock.yaml';
const isBinary = (file) => /\.(?:png|jpe?g|gif|ico|woff2?|sqlite|db|gz|zip)$/.test(file);

const drawerName = /^(?:utils?|helpers?|misc|common|manager|types)$/;

function drawers(file) {
  const stem = basename(file).replace(/(?:\.test|\.d)?\.[^.]+$/, '');
  return /\.[cm]?[jt]sx?$/.test(file) && drawerName.test(stem)
    ? [`${file}: a file is a noun one can point at, "${stem}" is a drawer`]
    : [];
}

const looseWord = new RegExp(
  `\\b(?:${['TODO', 'FIXME', 'XXX', 'HACK'].join('|')})\\b|@ts-(?:ignore|nocheck)`,
);

function looseEnds(file, source) {
  const found = [];
  source.split('\n').forEach((line, index) => {
    const match = looseWord.exec(line);
    if (match) found.push(`${file}:${index + 1}: loose end "${match[0]}"`);
  });
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const at = (node) => tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
  const visit = (node) => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) found.push(`${file}:${at(node)}: the type "any"`);
    if (ts.isPropertyAccessExpression(node) && isTestFunction(node)) {
      found.push(`${file}:${at(node)}: "${node.getText(tree)}" leaves tests out`);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** `it.skip`, `describe.concurrent.only`, but not `context.skip('no browser here')`, which says why. */
function isTestFunction(access) {
  if (!/^(?:only|skip|todo)$/.test(access.name.text)) return false;
  let left = access.expression;
  while (ts.isPropertyAccessExpression(left) || ts.isCallExpression(left)) left = left.expression;
  return ts.isIdentifier(left) && /^(?:it|test|describe|suite|bench)$/.test(left.text);
}

// Put together from parts, so that this file passes its own check.
const machinePath = new RegExp(
  `(?<![\\w.~$}-])/(?:${['work', 'farm', 'root'].join('|')})/[a-z]|/(?:home|Users)/[a-z][\\w-]+/`,
);
const registryHost = /\bregistry\.[a-z]+\.(?:org|com)\b|\bnpm\.pkg\.[a-z]+\.com\b|\bdeb\.debian\b/;

function traces(file, source) {
  return source.split('\n').flatMap((line, index) => {
    const match = machinePath.exec(line) ?? registryHost.exec(line);
    return match ? [`${file}:${index + 1}: "${match[0]}" names a machine or a registry`] : [];
  });
}

function lacks(root, { folder, path, manifest }) {
  const changesets = join(root, '.changeset');
  const announced =
    existsSync(join(path, 'CHANGELOG.md')) ||
    (existsSync(changesets) &&
      readdirSync(changesets)
        .filter((file) => file.endsWith('.md'))
        .some((file) => readFileSync(join(changesets, file), 'utf8').includes(`"${manifest.name}"`)));
  return [
    [existsSync(join(path, 'README.md')), 'a README.md'],
    [announced, 'a changeset or a CHANGELOG.md'],
    [manifest.sideEffects === false, '"sideEffects": false'],
    [typeof manifest.exports === 'object', 'an "exports" map'],
    [manifest.license === 'MIT', 'a "license"'],
    [Boolean(manifest.description), 'a "description"'],
  ].flatMap(([is, what]) => (is ? [] : [`${folder} lacks ${what}`]));
}

/** Tracked files and new ones that are not ignored, as far as they still exist. */
export function projectFiles(root) {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
  });
  return [...new Set(listed.toString('utf8').split('\0'))]
    .filter((file) => file && existsSync(join(root, file)))
    .sort();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = process.cwd();
  const { problems, notes } = checkNames(root, projectFiles(root));
  for (const note of notes) console.log(`note: ${note}`);
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
