/**
 * Jest's own runtime; each worker compiles a module once. Jest calls `compileFunction` for every file that loads the module, and V8 compiles the
 * same text anew each time: that was a third of the processor time of the workers. What it compiled for a `Script` it keeps, and gives it to
 * the next one of the same text and name, also in another context (docs/decisions/0034).
 */
const vm = require('node:vm');

const { compileFunction } = vm;

vm.compileFunction = (code, names, options) => {
  const { filename, parsingContext, importModuleDynamically } = options ?? {};
  // V8 keeps no script whose `import()` has a function of its own, as Jest's have.
  if (!importModuleDynamically || !parsingContext || code.includes('import('))
    return compileFunction(code, names, options);
  const head = `(function(${names.join(',')}){`;
  // So columns of the first line are those of the module.
  const script = new vm.Script(`${head}${code}\n})`, { filename, columnOffset: -head.length });
  return script.runInContext(parsingContext);
};

module.exports = require('jest-runtime');
