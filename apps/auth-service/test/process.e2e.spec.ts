import { CLIENT_SECRET, ENCRYPTION_KEY, GATEWAY_KEY } from './auth-service.js';
import { askForToken, builtService } from './built-service.js';

const service = builtService();

describe('the built auth-service', () => {
  it('starts, says that it is well, serves and ends with 0 on SIGTERM; its output holds no secret', async () => {
    const app = await service.start({ ...service.settings(), LOG_LEVEL: 'debug' });
    expect((await fetch(`${app.managementUrl}/health/live`)).status).toBe(200);
    expect(await (await fetch(`${app.managementUrl}/health/ready`)).json()).toEqual({ status: 'up', reasons: [] });
    expect((await askForToken(app.url)).status).toBe(200);
    expect(await (await fetch(`${app.managementUrl}/metrics`)).text()).toMatch(
      /auth_tokens_served_total\{.*source="renewal".*\} 1/,
    );
    expect(await app.stop('SIGTERM')).toBe(0);
    const printed = app.logs.join('\n');
    expect(printed).toContain('auth-service has stopped');
    for (const secret of [CLIENT_SECRET, GATEWAY_KEY, ENCRYPTION_KEY, ...service.api().tokens])
      expect(printed).not.toContain(secret);
  });
});
