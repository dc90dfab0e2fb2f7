import { Health, Metrics } from './health-and-metrics.js';
import { ManagementServer } from './management-server.js';

describe('management port', () => {
  const health = new Health();
  const metrics = new Metrics('test');
  const server = new ManagementServer(health, metrics);
  let url: string;
  let trouble: string | undefined;
  beforeAll(async () => {
    health.addReadiness('redis', () => trouble);
    health.addLiveness('consumer', () => (trouble === 'dead' ? trouble : undefined));
    url = `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`;
  });
  afterAll(() => server.close());

  async function get(path: string) {
    const response = await fetch(url + path);
    return { status: response.status, body: await response.json(), type: response.headers.get('content-type') };
  }

  it.each([
    [undefined, 200, 200],
    ['away', 503, 200],
    ['dead', 503, 503],
  ])('with trouble %s answers ready %d and live %d', async (reason, ready, live) => {
    trouble = reason;
    const readiness = await get('/health/ready');
    expect(readiness).toMatchObject({ status: ready, type: 'application/json; charset=utf-8' });
    expect(readiness.body).toEqual(
      reason ? { status: 'down', reasons: [{ name: 'redis', reason }] } : { status: 'up', reasons: [] },
    );
    expect((await get('/health/live')).status).toBe(live);
  });

  it('takes a check that throws for not ready', () => {
    const broken = new Health();
    broken.addReadiness('odd', () => {
      throw new Error('oops');
    });
    expect(broken.notReady()).toEqual([{ name: 'odd', reason: 'the check failed: oops' }]);
  });

  it('gives own metrics, and those of the process', async () => {
    metrics.collectProcess();
    metrics.counter({ name: 'things_total', help: 'things', labelNames: ['kind'] }).inc({ kind: 'x' });
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toContain('things_total{kind="x",service="test"} 1');
    expect(text).toContain('process_resident_memory_bytes');
    expect(text).toContain('nodejs_eventloop_lag_seconds');
  });

  it.each([
    ['GET', '/'],
    ['POST', '/metrics'],
    ['GET', '/health'],
  ])('has nothing at %s %s', async (method, path) => {
    const response = await fetch(url + path, { method });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(await response.json()).toMatchObject({ code: 'not_found', instance: path });
  });
});
