import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { projectFiles } from './check-names.mjs';

/**
 * A promise in a comment or a document may name its proof: `(shown by: <title of a test>)`, several with `; `
 * between them. Returns one sentence for each that names no test.
 * @param {string} root
 * @param {string[]} files paths relative to `root`
 */
export function checkPromises(root, files) {
  const text = (file) => readFileSync(join(root, file), 'utf8');
  const titles = new Set(files.filter(holdsTests).flatMap((file) => titlesIn(file, text(file))));
  return files.filter(makesPromises).flatMap((file) =>
    promisesIn(text(file))
      .filter(
        ({ title }) =>
          !isForm(title) && !titles.has(title) && !title.split('; ').every((part) => titles.has(part.trim())),
      )
      .map(({ title, line }) => `${file}:${line}: no test is called "${title}"`),
  );
}

// The conformance kit's cases are tests too, though whoever runs them hands in the test function.
const holdsTests = (file) => /\.test\.[cm]?[jt]sx?$|\/conformance\/.*\.ts$/.test(file);
const makesPromises = (file) =>
  /\.(?:[cm]?[jt]sx?|md|sql)$/.test(file) && !/^scripts\/|\/fixtures\//.test(file);

/** `line` counts from 1. A title may run over several comment lines and may hold parentheses in pairs. */
export function promisesIn(source) {
  const found = [];
  for (const match of source.matchAll(/\(shown by:/g)) {
    let depth = 1;
    let end = match.index + match[0].length;
    while (end < source.length && depth > 0) {
      if (source[end] === '(') depth += 1;
      if (source[end] === ')') depth -= 1;
      end += 1;
    }
    const inside = source.slice(match.index + match[0].length, end - 1);
    const title = inside.replace(/\s*\n\s*(?:\*|\/\/|--|>)?\s*/g, ' ').trim();
    found.push({ title: unquoted(title), line: source.slice(0, match.index).split('\n').length });
  }
  return found;
}

// `(shown by: <title>)` in a text that explains the form.
const isForm = (title) => /^<.*>$/.test(title);

const unquoted = (title) => /^(["'`])(.*)\1$/s.exec(title)?.[2] ?? title;

/** First arguments of calls, and the values of properties that name a case in a table. */
function titlesIn(file, source) {
  const titles = [];
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const visit = (node) => {
    if (ts.isCallExpression(node)) add(node.arguments[0]);
    if (ts.isPropertyAssignment(node) && /^(?:title|name|promise)$/.test(node.name.getText(tree)))
      add(node.initializer);
    ts.forEachChild(node, visit);
  };
  const add = (node) => {
    // A test of many cases may name each at its end; the promise is what they have in common.
    if (node && ts.isStringLiteralLike(node)) titles.push(node.text, node.text.replace(/: %s$/, ''));
  };
  visit(tree);
  return titles;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = process.cwd();
  const problems = checkPromises(root, projectFiles(root));
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
