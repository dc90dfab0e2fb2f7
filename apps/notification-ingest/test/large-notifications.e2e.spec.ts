import { waitFor } from '@tranche/testing';
import { capture, form, joinIngestStage, notificationOf, signed, TOPICS, type Fields, type Ingest } from './support.js';

const MIB = 1_048_576;

describe('a notification of up to 1 MiB', () => {
  let ingest: Ingest;
  beforeAll(async () => {
    ingest = await joinIngestStage();
  });
  afterAll(() => ingest.close());

  const post = (body: Buffer) => fetch(ingest.webhook, { method: 'POST', body: new Uint8Array(body), headers: { 'content-type': 'application/x-www-form-urlencoded' } }); // prettier-ignore

  /** Fills MESSAGE with a character that needs no escaping until the body has `bytes` bytes. */
  function bodyOf(bytes: number, orderId: string, character: string): { body: Buffer; message: string } {
    const fields: Fields = signed(capture({ ORDERID: orderId, MESSAGE: '' }));
    const message = character.repeat(bytes - Buffer.byteLength(form(fields)));
    const { MESSAGE: _empty, ...others } = signed(capture({ ORDERID: orderId, MESSAGE: message }));
    return { body: Buffer.from(`${form(others)}&MESSAGE=${message}`), message };
  }

  it.each([
    ['letters', 'x', 'large-letters'],
    ['characters that JSON writes as six', '\u0001', 'large-controls'],
  ])('is published whole and answered with OK: %s', async (_of, character, orderId) => {
    const { body, message } = bodyOf(MIB, orderId, character);
    expect(body.length).toBe(MIB);
    const records = await ingest.read(TOPICS.notifications);
    const answer = await post(body);
    expect([answer.status, await answer.text()]).toEqual([200, 'OK']);
    const record = await waitFor(() => records.find(({ key }) => key === `shop-fr/${orderId}`), { what: 'the event' });
    const notification = notificationOf(record);
    expect([notification.message === message, notification.parameters.MESSAGE === message, notification.flags]).toEqual(
      [true, true, []],
    );
  });

  it('without an order is in quarantine, whole', async () => {
    const { body, message } = bodyOf(MIB, '', '\u0002');
    const records = await ingest.read(TOPICS.notificationsQuarantine);
    expect((await post(body)).status).toBe(200);
    const ours = () => records.some(({ value }) => value?.includes(JSON.stringify(message)));
    await waitFor(ours, { what: 'the record in quarantine' });
  });
});
