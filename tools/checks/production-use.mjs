/**
 * Finds the top-level names that production code uses: those reached from service entry points, pages and published packages. A name used
 * only by tests, by exports or by another unused name is not reached.
 */
import { posix } from 'node:path';
import typescript from 'typescript';

const PRODUCTION = /^(?:apps\/[^/]+|libs\/(?!testing\/)[^/]+)\/(?:src|page)\/.*\.ts$/;
const NOT_PRODUCTION = /\.spec\.ts$|\/(?:test|dist)\//;
/** Services and pages run; other repositories use the exports of @tranche/client and @tranche/card-encryption. */
const STARTED = /^apps\/[^/]+\/src\/(?:.*\/)?main\.ts$|^apps\/[^/]+\/page\/[\w-]+\.ts$/;
const PUBLISHED = /^libs\/(?:client\/src\/(?:index|nest)|card-encryption\/src\/index)\.ts$/;

export const productionFiles = (files) =>
  [...files].filter((file) => PRODUCTION.test(file) && !NOT_PRODUCTION.test(file));

/** Returns `isUsed(file, name)` for the top-level names of `files`; `textOf` reads one. */
export function productionUse(files, textOf) {
  const modules = new Map(files.map((file) => [file, readModule(textOf(file))]));
  const reached = new Set();
  const waiting = [];
  const reach = (file, name) => {
    const key = `${file}#${name}`;
    if (reached.has(key) || !modules.has(file)) return;
    reached.add(key);
    waiting.push([file, name]);
  };
  for (const [file, { names }] of modules) {
    if (STARTED.test(file)) reach(file, RUN);
    if (PUBLISHED.test(file)) [RUN, ...names.keys(), ...exportsOf(file)].forEach((name) => reachExport(file, name));
  }
  for (let next = waiting.pop(); next; next = waiting.pop()) follow(...next);
  return (file, name) => reached.has(`${file}#${name}`);

  function follow(file, name) {
    const { names, imports, loads, run } = modules.get(file);
    if (name === RUN) loads.forEach((from) => reach(resolved(from, file), RUN));
    for (const used of name === RUN ? run : (names.get(name) ?? [])) {
      if (names.has(used)) reach(file, used);
      const imported = imports.get(used);
      if (imported) reachExport(resolved(imported.from, file), imported.name);
    }
  }

  function reachExport(file, name, seen = new Set()) {
    const module = modules.get(file);
    if (!module || seen.has(`${file}#${name}`)) return;
    seen.add(`${file}#${name}`);
    reach(file, RUN);
    if (name === ALL) exportsOf(file).forEach((one) => reachExport(file, one, seen));
    else if (module.names.has(name)) reach(file, name);
    else
      for (const { from, name: original, as } of module.reexports)
        if (as === name || as === ALL) reachExport(resolved(from, file), as === ALL ? name : original, seen);
  }

  function exportsOf(file, seen = new Set()) {
    if (!modules.has(file) || seen.has(file)) return [];
    seen.add(file);
    const { names, reexports } = modules.get(file);
    const others = reexports.flatMap(({ from, as }) => (as === ALL ? exportsOf(resolved(from, file), seen) : [as]));
    return [...names.keys(), ...others];
  }
}

/** Code outside declarations runs when the file is loaded. */
const RUN = '(run)';
const ALL = '*';

function resolved(from, importer) {
  const [, library, path = 'index'] = /^@tranche\/([^/]+)(?:\/(.+))?$/.exec(from) ?? [];
  if (library) return `libs/${library}/src/${path}.ts`;
  return posix.join(posix.dirname(importer), from).replace(/\.js$/, '.ts');
}

function readModule(text) {
  const tree = typescript.createSourceFile('module.ts', text, typescript.ScriptTarget.Latest, true);
  const module = { names: new Map(), imports: new Map(), reexports: [], loads: [], run: new Set() };
  for (const statement of tree.statements) readStatement(statement, module);
  return module;
}

function readStatement(statement, module) {
  const from = statement.moduleSpecifier?.text;
  if (from !== undefined) module.loads.push(from);
  if (typescript.isImportDeclaration(statement)) readImport(statement, from, module.imports);
  else if (typescript.isExportDeclaration(statement)) readReexport(statement, from, module.reexports);
  else if (typescript.isVariableStatement(statement))
    for (const declaration of statement.declarationList.declarations)
      for (const name of boundNames(declaration.name)) module.names.set(name, usedNames(declaration));
  else if (statement.name && typescript.isIdentifier(statement.name))
    module.names.set(statement.name.text, new Set([...(module.names.get(statement.name.text) ?? []), ...usedNames(statement)])); // prettier-ignore
  else usedNames(statement).forEach((name) => module.run.add(name));
}

const boundNames = (name) =>
  typescript.isIdentifier(name) ? [name.text] : name.elements.flatMap((element) => (element.name ? boundNames(element.name) : [])); // prettier-ignore

function readImport({ importClause }, from, imports) {
  if (!importClause) return;
  const { name, namedBindings } = importClause;
  if (name) imports.set(name.text, { from, name: 'default' });
  if (namedBindings && typescript.isNamespaceImport(namedBindings))
    imports.set(namedBindings.name.text, { from, name: ALL }); // prettier-ignore
  else
    for (const { propertyName, name: local } of namedBindings?.elements ?? [])
      imports.set(local.text, { from, name: (propertyName ?? local).text });
}

function readReexport({ exportClause }, from, reexports) {
  if (from === undefined) return;
  if (!exportClause) reexports.push({ from, name: ALL, as: ALL });
  else
    for (const { propertyName, name } of exportClause.elements ?? [])
      reexports.push({ from, name: (propertyName ?? name).text, as: name.text });
}

function usedNames(statement) {
  const used = new Set();
  visit(statement, (node) => {
    if (!typescript.isIdentifier(node)) return;
    const { parent } = node;
    const isMember = typescript.isPropertyAccessExpression(parent) && parent.name === node;
    const isOwn = parent === statement && parent.name === node;
    const isKey = parent.name === node && (typescript.isPropertyAssignment(parent) || typescript.isPropertyDeclaration(parent) || typescript.isMethodDeclaration(parent) || typescript.isPropertySignature(parent)); // prettier-ignore
    if (!isMember && !isOwn && !isKey) used.add(node.text);
  });
  return used;
}

function visit(node, look) {
  look(node);
  typescript.forEachChild(node, (child) => visit(child, look));
}
