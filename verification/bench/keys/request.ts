export const API_KEY_ID = '3f2b1c9e-5a70-4c55-9d0e-1f6f5f4f3f2f';
export const ORIGIN = 'https://shop.example';

/** Makes the request that a browser sends from a shop's page, including the headers that browsers add. */
export function keyRequest(url: URL): Buffer {
  const body = JSON.stringify({ apiKeyId: API_KEY_ID });
  const head = [
    `POST ${url.pathname} HTTP/1.1`,
    `Host: ${url.host}`,
    'Connection: keep-alive',
    `Content-Length: ${body.length}`,
    'sec-ch-ua-platform: "Windows"',
    'User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
    'sec-ch-ua: "Chromium";v="142", "Google Chrome";v="142", "Not_A Brand";v="99"',
    'Content-Type: application/json',
    'sec-ch-ua-mobile: ?0',
    'Accept: */*',
    `Origin: ${ORIGIN}`,
    'Sec-Fetch-Site: cross-site',
    'Sec-Fetch-Mode: cors',
    'Sec-Fetch-Dest: empty',
    `Referer: ${ORIGIN}/`,
    'Accept-Encoding: gzip, deflate, br, zstd',
    'Accept-Language: fr-FR,fr;q=0.9,en-US;q=0.8,en;q=0.7',
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}
