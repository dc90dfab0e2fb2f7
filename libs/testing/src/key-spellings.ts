/** Spellings of an encryption key that key services use. Each reader of such keys must read all of these as the same key. */
export function keySpellings(base64: string): [how: string, text: string][] {
  const in64 = base64.replace(/.{1,64}/g, '$&\n');
  const pem = `-----BEGIN PUBLIC KEY-----\n${in64}-----END PUBLIC KEY-----\n`;
  return [
    ['bare', base64],
    ['in lines of 64', in64],
    ['in lines that end with CRLF', in64.replaceAll('\n', '\r\n')],
    ['as PEM', pem],
    ['as PEM in one line', pem.replaceAll('\n', '')],
    ['with spaces around', ` ${base64}\t`],
  ];
}
