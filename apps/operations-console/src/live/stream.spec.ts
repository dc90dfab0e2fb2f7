jest.mock('../session.js', () => ({ endSession: () => undefined }));
import { eventsFrom } from './stream.js';

it('reads events however the stream is cut', () => {
  const text =
    ': still here\n\nevent: order\ndata: {"orderId":"1"}\n\nevent: state\r\ndata: {"behind":0}\r\n\r\nid: 7\n\n';
  const wanted = [
    { event: 'order', data: '{"orderId":"1"}' },
    { event: 'state', data: '{"behind":0}' },
  ];
  for (let at = 1; at < text.length; at++) {
    const read = eventsFrom();
    expect([...read(text.slice(0, at)), ...read(text.slice(at))]).toEqual(wanted);
  }
});
