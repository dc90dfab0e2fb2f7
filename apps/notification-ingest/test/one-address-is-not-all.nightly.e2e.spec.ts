import { connect, type Socket } from 'node:net';
import { waitFor } from '@tranche/testing';
import { capture, form, signed, startIngest, type Ingest } from './support.js';

const GENUINE = `GET /notifications?${form(signed(capture()))} HTTP/1.1\r\nhost: a\r\n\r\n`;
const STRAY = 'GET /x HTTP/1.1\r\nhost: a\r\n\r\n';

describe('the connections of one address', () => {
  let ingest: Ingest;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    ingest = await startIngest(undefined, { MAX_CONNECTIONS: '20', MAX_CONNECTIONS_PER_ADDRESS: '10' });
  });
  afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));
  afterAll(() => ingest.close());

  const open = (count: number, request: string) => {
    const state = { closed: 0, answers: [] as string[] };
    for (let n = 0; n < count; n++) {
      const socket = connect({
        port: Number(new URL(ingest.webhook).port),
        host: '127.0.0.1',
        localAddress: '127.0.0.2',
      });
      socket.once('data', (bytes) => state.answers.push(bytes.toString('latin1')));
      socket.on('error', () => undefined).on('close', () => state.closed++);
      socket.write(request);
      sockets.push(socket);
    }
    return state;
  };

  it('leave room for others, and idle ones end within seconds', async () => {
    const state = open(20, GENUINE);
    await waitFor(() => state.answers.length === 10 && state.closed >= 10, { what: 'ten taken, ten cut' });
    expect(await ingest.metric('ingest_connections_cut_total{reason="address"')).toBe(10);
    expect(await (await fetch(`${ingest.webhook}?${form(signed(capture()))}`)).text()).toBe('OK');
    await waitFor(() => state.closed === 20, { what: 'the idle ones closed' });
  });

  it('end with a failure', async () => {
    const state = open(10, STRAY);
    await waitFor(() => state.closed === 10, { what: 'all closed' });
    expect(state.answers).toHaveLength(10);
    // An idle connection is closed too, so only the header proves that the failure closed it.
    for (const answer of state.answers) expect(answer).toMatch(/^connection: close\r$/im);
  });
});
