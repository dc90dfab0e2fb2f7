import { KEYS_PATH } from '../keys/cse-keys.controller.js';
import { routedPath } from './admission.service.js';

describe('the route of a request', () => {
  it.each([
    ['POST', KEYS_PATH],
    ['OPTIONS', KEYS_PATH],
    ['POST', `${KEYS_PATH}?x=%zz`],
  ])('%s %s is the one of the keys', (method, url) => expect(routedPath(url, method)).toBe(url));

  it.each([
    ['GET', KEYS_PATH],
    ['HEAD', KEYS_PATH],
    ['POST', `${KEYS_PATH}/`],
    ['POST', `${KEYS_PATH}x`],
    ['POST', '/%zz'],
    ['OPTIONS', '*'],
    ['GET', ''],
  ])('%s %s is the one for everything else', (method, url) => expect(routedPath(url, method)).toBe('/'));
});
