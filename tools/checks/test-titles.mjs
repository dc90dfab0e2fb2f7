/** Reads the titles of the tests in a spec file, and the texts of the tables that make them. */
import typescript from 'typescript';

const { SyntaxKind } = typescript;
const TEST_FUNCTIONS = new Set(['describe', 'it', 'test']);
const NOT_RUN = new Set(['skip', 'todo']);

/** `table` is the text of a file whose table the spec runs over; all its texts count. A placeholder in a template shows as `…`. */
export function testTitles(spec, table = '') {
  const tree = typescript.createSourceFile('spec.ts', spec, typescript.ScriptTarget.Latest, true);
  const tables = declarations(tree);
  const titles = texts(typescript.createSourceFile('table.ts', table, typescript.ScriptTarget.Latest, true));
  visit(tree, (node) => {
    if (!typescript.isCallExpression(node)) return true;
    const names = calledNames(node.expression);
    if (!TEST_FUNCTIONS.has(names[0])) return true;
    if (names.some((name) => NOT_RUN.has(name))) return false;
    titles.push(
      ...(names.at(-1) === 'each'
        ? node.arguments.flatMap((rows) => tableTexts(rows, tables))
        : texts(node.arguments[0])),
    );
    return true;
  });
  return titles;
}

/** Returns the titles of the tests without the texts of their tables; a placeholder such as `%s` stays. */
export function ownTitles(spec) {
  const titles = [];
  visit(typescript.createSourceFile('spec.ts', spec, typescript.ScriptTarget.Latest, true), (node) => {
    if (!typescript.isCallExpression(node)) return true;
    const names = calledNames(node.expression);
    const isTest = (names[0] === 'it' || names[0] === 'test') && names.at(-1) !== 'each' && node.arguments.length > 1;
    if (!isTest) return true;
    const [title] = texts(node.arguments[0]);
    if (title !== undefined) titles.push(title);
    return false;
  });
  return titles;
}

/** Splits `it.skip.each(rows)(title)` into it, skip and each. */
function calledNames(expression) {
  if (typescript.isIdentifier(expression)) return [expression.text];
  if (typescript.isPropertyAccessExpression(expression))
    return [...calledNames(expression.expression), expression.name.text];
  if (typescript.isCallExpression(expression)) return [...calledNames(expression.expression), 'made'];
  return [];
}

/** Maps each name to all variables of that name, in any scope. */
function declarations(tree) {
  const found = new Map();
  visit(tree, (node) => {
    if (typescript.isVariableDeclaration(node) && typescript.isIdentifier(node.name))
      found.set(node.name.text, [...(found.get(node.name.text) ?? []), node.initializer]);
    return true;
  });
  return found;
}

function tableTexts(rows, tables, seen = new Set()) {
  const found = texts(rows);
  visit(rows, (node) => {
    const named = typescript.isIdentifier(node) && !seen.has(node.text) ? (tables.get(node.text) ?? []) : [];
    if (named.length > 0) seen.add(node.text);
    for (const table of named) if (table) found.push(...tableTexts(table, tables, seen));
    return true;
  });
  return found;
}

function texts(from) {
  const found = [];
  if (from)
    visit(from, (node) => {
      if (typescript.isStringLiteralLike(node)) found.push(node.text);
      if (node.kind === SyntaxKind.TemplateExpression)
        found.push(node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join(''));
      if (typescript.isPropertyAssignment(node) && typescript.isIdentifier(node.name)) found.push(node.name.text);
      return true;
    });
  return found;
}

/** `look` returns whether to visit the children of the node. */
function visit(node, look) {
  if (look(node)) typescript.forEachChild(node, (child) => visit(child, look));
}
