import { createServer, type Server } from 'node:net';
import { freePorts, sliceOf } from './infrastructure.js';

function listening(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(port, '0.0.0.0', () => resolve(server));
  });
}

const closed = (server: Server) => new Promise((resolve) => server.close(resolve));

describe('freePorts', () => {
  it('gives no port twice, even if none of them is in use', async () => {
    const ports = (await Promise.all(Array.from({ length: 200 }, () => freePorts()))).flat();

    expect(new Set(ports).size).toBe(400);
  });

  it('leaves out a port that somebody listens on', async () => {
    const [, last] = await freePorts();
    const next = last % 1_000 === 999 ? last - 999 : last + 1;
    const taken = await listening(next);

    const ports = await freePorts();
    await closed(taken);

    expect(ports).not.toContain(next);
  });

  it('stays below the ports of outgoing connections', async () => {
    const ports = await freePorts();

    expect(Math.max(...ports)).toBeLessThan(28_000);
    expect(Math.min(...ports)).toBeGreaterThanOrEqual(12_000);
  });
});

describe('sliceOf', () => {
  it('keeps test workers apart from each other and from every other process', () => {
    const workers = ['1', '2', '3', '4'].map((id) => sliceOf(id, 7));
    const others = Array.from({ length: 100 }, (_, pid) => sliceOf(undefined, pid));

    expect(new Set(workers).size).toBe(4);
    expect(others.filter((slice) => workers.includes(slice))).toEqual([]);
    expect(Math.max(...others)).toBeLessThan(16);
  });
});
