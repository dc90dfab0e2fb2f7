import typescript from 'typescript';

/** Returns the titles of the tests in a spec file; a placeholder such as `%s` stays, an expression in a template shows as `…`. */
export function testTitles(spec) {
  const titles = [];
  const visit = (node) => {
    if (isTest(node)) titles.push(...textOf(node.arguments[0]));
    else typescript.forEachChild(node, visit);
  };
  visit(typescript.createSourceFile('spec.ts', spec, typescript.ScriptTarget.Latest, true));
  return titles;
}

/** `it('…', …)`, `it.only('…', …)` or `it.each(rows)('…', …)`; the first call of the last one gets only the rows. */
function isTest(node) {
  if (!typescript.isCallExpression(node) || node.arguments.length < 2) return false;
  return /^(?:it|test)\b/.test(node.expression.getText());
}

function textOf(node) {
  if (typescript.isStringLiteralLike(node)) return [node.text];
  if (!typescript.isTemplateExpression(node)) return [];
  return [node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')];
}
