import { NotificationParametersPipe } from './notification.controller.js';
import { receivedRequest } from './received-request.js';

const SIGNED = 'IDENTIFIER=Shop&HASH=0';
const read = (query: string, body = '', method = 'POST') =>
  new NotificationParametersPipe().transform(
    receivedRequest({ method, originalUrl: `/notifications${query}`, raw: { headers: {} }, body: Buffer.from(body) }),
  );

it.each([
  ['the query', `?${SIGNED}&ORDERID=1`, ''],
  ['the body', '', `${SIGNED}&ORDERID=1`],
  ['both, with what they share', `?${SIGNED}`, 'HASH=0&ORDERID=1'],
])('takes the parameters of %s', (_, query, body) => expect(read(query, body)).toContainEqual(['ORDERID', '1']));

it('refuses two values of one name: nobody could say which one is meant', () =>
  expect(() => read(`?${SIGNED}`, 'HASH=1')).toThrow('a parameter came twice'));

it('refuses what cannot be a notification, so that it is kept as it came', () =>
  expect(() => read('?IDENTIFIER=Shop')).toThrow('IDENTIFIER or HASH is missing'));

it('refuses HEAD, whose answer cannot say OK', () =>
  expect(() => read(`?${SIGNED}`, '', 'HEAD')).toThrow(expect.objectContaining({ status: 405 }) as Error));
