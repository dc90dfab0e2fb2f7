/**
 * Finds a symbol that a row of docs/reference/spec-coverage.md names, the functions that run it, and a mutation that a test of it must detect. A
 * symbol is a function or class, a constant, a member (`Class.member` if several classes have it), or a text in code.
 */
import typescript from 'typescript';

const { SyntaxKind } = typescript;

/**
 * Returns `undefined` if the file's code has no such symbol; else `{ owners, functions, values, text }`: the top-level names that contain
 * it, the functions that run it (none for a constant), the texts that it is set to, and `mutant()`.
 */
export function findSymbol(source, symbol) {
  const tree = typescript.createSourceFile('file.ts', source, typescript.ScriptTarget.Latest, true);
  const [member, owner] = symbol.split('.').reverse();
  const nodes = owner === undefined ? declared(tree, symbol) : declared(tree, member).filter((node) => nameOf(node.parent) === owner); // prettier-ignore
  if (nodes.length === 0) nodes.push(...mentioned(tree, symbol));
  if (nodes.length === 0) return undefined;
  const functions = nodes.every((node) => isCode(node)) ? nodes.flatMap(functionNames) : [];
  return {
    owners: [...new Set(nodes.map(ownerName))],
    functions,
    values: nodes.flatMap((node) => (node.initializer ? [oneLine(node.initializer.getText())] : [])),
    mutant: () => mutantOf(source, nodes),
  };
}

const oneLine = (text) => text.replace(/\s+/g, ' ').trim();

function declared(tree, symbol) {
  const top = [];
  const members = [];
  visit(tree, (node) => {
    if (nameOf(node) !== symbol) return;
    if (isTopLevel(node)) top.push(node);
    else if (isMember(node)) members.push(node);
  });
  return top.length > 0 ? top : members;
}

const nameOf = (node) => (typescript.isImportSpecifier(node) ? undefined : node.name?.text);
const isMember = (node) =>
  typescript.isPropertyDeclaration(node) ||
  typescript.isPropertyAssignment(node) ||
  typescript.isMethodDeclaration(node) ||
  typescript.isGetAccessorDeclaration(node);

function isTopLevel(node) {
  if (typescript.isVariableDeclaration(node)) return typescript.isSourceFile(node.parent.parent.parent);
  return typescript.isSourceFile(node.parent) && !typescript.isImportDeclaration(node);
}

/** Finds texts, templates and names in code, but not in comments. */
function mentioned(tree, symbol) {
  const found = [];
  visit(tree, (node) => {
    const text = typescript.isIdentifier(node) || isLiteral(node) ? node.text : undefined;
    const isImported =
      typescript.isImportSpecifier(node.parent ?? node) || typescript.isImportClause(node.parent ?? node);
    if (text === symbol && !isImported) found.push(node);
  });
  return found;
}

const isLiteral = (node) => typescript.isStringLiteralLike(node) || typescript.isNumericLiteral(node);

/**
 * A function, or a class with methods, leaves calls that coverage shows. Every other symbol is a value: only a mutation shows that a test
 * depends on it.
 */
function isCode(node) {
  if (typescript.isClassDeclaration(node)) return node.members.some(isFunctionMember);
  return isFunction(typescript.isVariableDeclaration(node) || typescript.isPropertyAssignment(node) ? node.initializer : node); // prettier-ignore
}

const isFunctionMember = (node) => typescript.isMethodDeclaration(node) || typescript.isConstructorDeclaration(node);
const isFunction = (node) =>
  node !== undefined &&
  (typescript.isFunctionDeclaration(node) ||
    typescript.isArrowFunction(node) ||
    typescript.isFunctionExpression(node) ||
    typescript.isMethodDeclaration(node) ||
    typescript.isGetAccessorDeclaration(node));

/** V8 reports functions under these names. */
function functionNames(node) {
  if (typescript.isClassDeclaration(node))
    return node.members
      .filter(isFunctionMember)
      .map((member) => (typescript.isConstructorDeclaration(member) ? node.name.text : member.name.getText()));
  return [node.name.getText()];
}

function ownerName(node) {
  for (let at = node; at.parent; at = at.parent) {
    if (typescript.isVariableDeclaration(at) && isTopLevel(at)) return at.name.text;
    if (typescript.isSourceFile(at.parent) && at.name) return at.name.text;
  }
  return '(run)';
}

/** Changes the numbers, texts and patterns of the symbol in the source. Returns `undefined` if there is nothing to change. */
function mutantOf(source, nodes) {
  const places = nodes.flatMap(placesToChange);
  const changes = new Map(places.map((node) => [node.getStart(), node]));
  if (changes.size === 0) return undefined;
  let mutant = source;
  for (const [start, node] of [...changes].sort(([a], [b]) => b - a))
    mutant = mutant.slice(0, start) + changed(node) + mutant.slice(node.getEnd());
  return mutant;
}

function placesToChange(node) {
  const places = [];
  const from = isLiteral(node) ? [node] : typescript.isPropertyDeclaration(node) ? (node.modifiers ?? []).filter(typescript.isDecorator) : [node.initializer ?? node]; // prettier-ignore
  for (const root of from)
    visit(root, (inner) => {
      const isKey = inner.parent.name === inner || typescript.isImportDeclaration(inner.parent) || typescript.isLiteralTypeNode(inner.parent); // prettier-ignore
      if (!isKey && isChangeable(inner)) places.push(inner);
    });
  if (places.length > 0) return places;
  return typescript.isPropertyDeclaration(node) ? from : [];
}

const isChangeable = (node) =>
  isLiteral(node) ||
  typescript.isRegularExpressionLiteral(node) ||
  node.kind === SyntaxKind.TrueKeyword ||
  node.kind === SyntaxKind.FalseKeyword;

function changed(node) {
  if (typescript.isNumericLiteral(node)) return `(${node.getText()} + 1)`;
  if (typescript.isRegularExpressionLiteral(node)) return '/(?!)/';
  if (node.kind === SyntaxKind.TrueKeyword) return 'false';
  if (node.kind === SyntaxKind.FalseKeyword) return 'true';
  if (typescript.isDecorator(node)) return '';
  return typescript.isPropertyAssignment(node.parent) && node.parent.name === node ? `'${node.text}~'` : JSON.stringify(`${node.text}~`); // prettier-ignore
}

function visit(node, look) {
  look(node);
  typescript.forEachChild(node, (child) => visit(child, look));
}
