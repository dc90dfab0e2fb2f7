/**
 * Stands in for class-validator and class-transformer in the packages (docs/decisions/0074). The message classes run the same decorators;
 * this keeps what `check` reads of them, and nothing else of the two libraries is packed.
 */
const rulesOf = new Map();

function keep(type, context, constraints) {
  return (target, propertyName) => {
    const owner = target.constructor;
    if (!rulesOf.has(owner)) rulesOf.set(owner, []);
    rulesOf.get(owner).push({ type, propertyName, context, constraints });
  };
}

export const ValidationTypes = { CONDITIONAL_VALIDATION: 'conditionalValidation' };

export const ValidateBy = (_rule, { context } = {}) => keep('customValidation', context);
export const ValidateNested = ({ context } = {}) => keep('nestedValidation', context);
export const ValidateIf = (condition, { context } = {}) =>
  keep(ValidationTypes.CONDITIONAL_VALIDATION, context, [condition]);

/** A list's limits are in the context of its `ValidateNested`; the type of a nested object is, too. */
const keepsNothing = () => () => undefined;
export { keepsNothing as ArrayMaxSize, keepsNothing as ArrayMinSize, keepsNothing as Type };

/** The rules of the class itself come first, as in class-validator: the order of faults follows from it. */
function getTargetValidationMetadatas(type) {
  const own = rulesOf.get(type) ?? [];
  const isReplaced = (rule) =>
    own.some(({ propertyName, type: kind }) => propertyName === rule.propertyName && kind === rule.type);
  const inherited = [...rulesOf].flatMap(([owner, rules]) => (type.prototype instanceof owner ? rules : []));
  return [...own, ...inherited.filter((rule) => !isReplaced(rule))];
}

const storage = { getTargetValidationMetadatas };
export const getMetadataStorage = () => storage;
