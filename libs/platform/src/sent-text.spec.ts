import { textOfBody } from './sent-text.js';

describe('the text of an answer', () => {
  it.each<[string, Buffer, string]>([
    ['application/json', Buffer.from('Refusé €'), 'Refusé €'],
    ['application/json; charset=ISO-8859-1', Buffer.from('Refusé', 'latin1'), 'Refusé'],
    ['application/json; charset=iso-8859-15', Buffer.from('12 \xa4', 'latin1'), '12 €'],
    ['application/json', Buffer.from('Refus\xe9 \x80', 'latin1'), 'Refusé €'],
    ['application/json; charset=ISO-8859-1', Buffer.from('Refusé'), 'Refusé'],
    ['application/json; charset=utf-16', Buffer.from('\ufeffRefusé', 'utf16le'), 'Refusé'],
    ['application/json; charset=nonsense', Buffer.from('\xe9', 'latin1'), 'é'],
  ])('with %s: %s', (contentType, bytes, text) => expect(textOfBody(bytes, contentType)).toBe(text));
});
