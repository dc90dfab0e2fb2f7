import { NotificationParametersPipe } from './notification-parameters.pipe.js';
import type { ReceivedRequest } from './received-request.js';

const read = (more: Partial<ReceivedRequest>) =>
  new NotificationParametersPipe().transform({
    query: Buffer.from('ORDERID=1'),
    body: undefined,
    announcesBody: false,
    contentType: 'application/x-www-form-urlencoded',
    contentEncoding: 'identity',
    ...more,
  });

it.each([
  ['no body', {}],
  ['an empty body', { body: Buffer.alloc(0) }],
  ['an empty body that was announced as chunks', { body: Buffer.alloc(0), announcesBody: true }],
])('the query counts with %s', (_, more) => expect(read(more)).toEqual([['ORDERID', '1']]));

it.each([
  ['was not read', { announcesBody: true }],
  ['holds something', { body: Buffer.from('A=1'), announcesBody: true }],
])('a query beside a body that %s is refused', (_, more) =>
  expect(() => read(more)).toThrow('there is a query and a body'),
);
