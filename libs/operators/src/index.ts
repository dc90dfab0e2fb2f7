import 'reflect-metadata';

export { OidcOperators } from './oidc-operators.js';
export { OidcConfig, OperatorsConfig } from './operators.config.js';
export {
  assertMerchant,
  hasRole,
  mayAct,
  OPERATOR_ROLES,
  type Operator,
  type OperatorIdentity,
  type OperatorRole,
} from './operators.js';
export { OperatorGuard, OperatorNotes } from './operator.guard.js';
export {
  assertMay,
  CurrentOperator,
  OperatorSignIn,
  Requires,
  type OperatorRequest,
  type RouteNeeds,
} from './sign-in.js';
