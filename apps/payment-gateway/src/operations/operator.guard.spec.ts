import type { ExecutionContext } from '@nestjs/common';
import { Secret } from '@tranche/service-kit';
import type { GatewayConfig } from '../gateway.config.js';
import { OperatorGuard } from './operator.guard.js';
import type { Operator } from './operators.js';

const alice: Operator = { operator: 'alice', key: new Secret('canary-key-of-32-characters-or-so') };

function ask(operators: Operator[] | undefined, authorization?: string) {
  const request: { headers: { authorization?: string }; operator?: Operator } = {
    headers: authorization ? { authorization } : {},
  };
  const context = { switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext;
  new OperatorGuard({ operators } as GatewayConfig).canActivate(context);
  return request.operator?.operator;
}

describe('operators’ door', () => {
  it('knows who comes by the key', () => {
    expect(ask([alice], 'Bearer canary-key-of-32-characters-or-so')).toBe('alice');
  });

  it('lets nobody in with another key', () => {
    expect(() => ask([alice], 'Bearer x')).toThrow(expect.objectContaining({ status: 401, code: 'unauthorized' }));
  });

  it('says which setting is missing where there are no operators', () => {
    const refused = expect.objectContaining({
      status: 503,
      code: 'operators_not_configured',
      detail: expect.stringContaining('OPERATORS_FILE'),
    });
    expect(() => ask(undefined, 'Bearer canary-key-of-32-characters-or-so')).toThrow(refused);
  });
});
