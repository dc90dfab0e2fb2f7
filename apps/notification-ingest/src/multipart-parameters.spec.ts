import { growth, processorMs } from '@tranche/testing';
import type { Parameters } from '@tranche/platform';
import { parametersOfMultipart } from './multipart-parameters.js';

const TYPE = 'multipart/form-data; boundary=xyz';
const part = (name: string, value: string, more = '') =>
  `--xyz\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const read = (text: string, type = TYPE, encoding: BufferEncoding = 'utf8') =>
  parametersOfMultipart(type, Buffer.from(text, encoding));

describe('fields of multipart/form-data', () => {
  it('are the exact bytes between the delimiters', () => {
    const value = ' a\r\n--xy\0+%41&é\ufeff\r\n';
    expect(read(`${part('A', value)}${part('CART[0][NAME]', '')}--xyz--\r\n`)).toEqual([
      ['A', value],
      ['CART[0][NAME]', ''],
    ]);
  });

  it('are read as a client writes them', async () => {
    const form = new FormData();
    form.append('A', 'é\r\n+');
    form.append('B', '');
    const request = new Request('http://localhost', { method: 'POST', body: form });
    const body = Buffer.from(await request.clone().arrayBuffer());
    expect(parametersOfMultipart(request.headers.get('content-type') ?? '', body)).toEqual([
      ['A', 'é\r\n+'],
      ['B', ''],
    ]);
  });

  it('may say their type, whose charset changes nothing in UTF-8, and an encoding that changes nothing', () => {
    const headers = '\r\nContent-Type: text/plain; charset=ISO-8859-1\r\nContent-Transfer-Encoding: 8bit';
    expect(read(`${part('A', 'é', headers)}--xyz--`, 'multipart/form-data; charset=latin1; boundary="xyz"')).toEqual([
      ['A', 'é'],
    ]);
  });

  it.each([
    ['no boundary in the type', part('A', '1\n') + '--xyz--', 'multipart/form-data'],
    ['an empty boundary in the type', part('A', '1\n') + '--xyz--', 'multipart/form-data; boundary='],
    ['a text in front', `x --xyz\r\n${part('A', '1\n')}--xyz--`, TYPE],
    ['a text behind', `${part('A', '1\n')}--xyz--\r\nx`, TYPE],
    ['its words in other capitals', `${part('A', '1\n')}--xyz--`.replace('name=', 'Name='), TYPE],
    ['line feeds alone', `${part('A', '1\n')}--xyz--`.replaceAll('\r\n', '\n'), TYPE],
    ['base64', part('A', 'MQo=', '\r\nContent-Transfer-Encoding: base64') + '--xyz--', TYPE],
    ['quoted-printable', part('A', '1=\r\n=0A', '\r\nContent-Transfer-Encoding: Quoted-Printable') + '--xyz--', TYPE],
  ])('are read with %s', (_what, text, type) => expect(read(text, type)).toEqual([['A', '1\n']]));

  it.each([
    ['another boundary', part('A', '1') + '--xyz--', 'multipart/form-data; boundary=other'],
    ['no end', part('A', '1'), TYPE],
    ['a cut end', `${part('A', '1')}--xyz-`, TYPE],
    ['a part without headers', `--xyz\r\n\r\n1\r\n--xyz--`, TYPE],
    ['a part without empty line', `--xyz\r\nContent-Disposition: form-data; name="A"\r\n--xyz--`, TYPE],
    ['a part without a name', `--xyz\r\nContent-Disposition: form-data\r\n\r\n1\r\n--xyz--`, TYPE],
    ['a part with two names', part('A"; name="B', '1') + '--xyz--', TYPE],
    ['two dispositions', part('A', '1', '\r\ncontent-disposition: form-data; name="B"') + '--xyz--', TYPE],
    ['a line break alone in a header', `${part('A', '1')}--xyz--`.replace('"A"\r\n', '"A"\r\r\n'), TYPE],
    ['no delimiter', 'A=1', 'multipart/form-data'],
    ['lines that end in two ways', `${part('A', '1')}--xyz--`.replaceAll('\r\n', '\n').replace('\n', '\r\n'), TYPE],
    ['an unknown encoding', part('A', '1', '\r\nContent-Transfer-Encoding: x-own') + '--xyz--', TYPE],
    ['parts in a part', part('A', '1', '\r\nContent-Type: multipart/mixed; boundary=b') + '--xyz--', TYPE],
    ['nothing', '', TYPE],
  ])('are refused with %s', (_what, text, type) =>
    expect(read(text, type)).toEqual({ unreadable: 'the body is not multipart/form-data' }),
  );

  it.each([
    ['a file', part('A', '1', '; filename="a.txt"') + '--xyz--', 'a file was sent'],
    ['no part', '--xyz--', 'no parameters were sent'],
    ['a name twice', part('A', '1') + part('A', '1') + '--xyz--', 'a parameter came twice'],
    ['a name that is none', part('A=B', '1') + '--xyz--', 'a name cannot be one'],
    [
      'more than a hundred',
      Array.from({ length: 101 }, (_, i) => part(`P${i}`, '')).join('') + '--xyz--',
      'more than 100 parameters',
    ],
  ])('are refused with %s', (_what, text, unreadable) => expect(read(text)).toEqual({ unreadable }));

  it.each([
    ['spaces in a header', `--xyz\r\na:${' '.repeat(200_000)}x\r\nb\r\n\r\n1\r\n--xyz--`, TYPE],
    [
      'spaces in the disposition',
      `--xyz\r\nContent-Disposition: form-data;${' '.repeat(200_000)}x\r\n\r\n1\r\n--xyz--`,
      TYPE,
    ],
    [
      'semicolons in the disposition',
      `--xyz\r\nContent-Disposition: form-data${'; '.repeat(100_000)}\r\n\r\n1\r\n--xyz--`,
      TYPE,
    ],
    ['spaces in the type', part('A', '1'), `multipart/form-data;${' '.repeat(200_000)}x`],
    ['semicolons in the type', part('A', '1'), `multipart/form-data${'; '.repeat(100_000)}x`],
  ])('are refused within a moment however many there are: %s', (_what, text, type) => {
    expect(processorMs(() => expect(read(text, type)).toHaveProperty('unreadable'))).toBeLessThan(2_000);
  });

  it('that are not UTF-8 keep their bytes, and are read by the charset of the part, else of the body', () => {
    const own = '\r\nContent-Type: text/plain; charset=iso-8859-15';
    const body = `${part('A', '\xa4', own)}${part('B', '\xa4')}${part('PR\xc9NOM', 'x')}--xyz--`;
    expect(read(body, TYPE, 'latin1')).toEqual([
      ['A', '€', { name: 'A', value: '\xa4', charset: 'iso-8859-15' }],
      ['B', '¤', { name: 'B', value: '\xa4' }],
      ['PRÉNOM', 'x', { name: 'PR\xc9NOM', value: 'x' }],
    ]);
    const russian = read(body, `${TYPE}; charset=windows-1251`, 'latin1') as Parameters;
    expect(russian.map(([name, value]) => [name, value])).toEqual([
      ['A', '€'],
      ['B', '¤'],
      ['PRЙNOM', 'x'],
    ]);
  });
});

it.each(['\r\n', '--', '\r\n--xy', 'a: b\r\n', '; name="', '\\', 'x='])(
  'is read in time that grows with the body: %j',
  (piece) => {
    const work = (length: number) => {
      const text = piece.repeat(Math.ceil(length / piece.length));
      const bodies = [part('A', text), part(text, 'x'), part('A', 'x', text), `--xyz\r\n${text}\r\n\r\nx\r\n`];
      for (const body of bodies) read(`${body}--xyz--`);
      read(part('A', 'x'), `multipart/form-data; ${text}`);
    };
    expect(growth(work)).toBeLessThan(20);
  },
);
