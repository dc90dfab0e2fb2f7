import { routedPath } from './received-request.js';

it.each([
  ['/notifications', '/notifications'],
  ['/notifications/', '/notifications'],
  ['//notifications', '/notifications'],
  ['/Notifications//', '/notifications'],
  ['http://pay.shop.example/notifications?A=//B', '/notifications?A=//B'],
  ['/notifications/?A=/', '/notifications?A=/'],
  ['/notifications#A?A=/', '/notifications#A?A=/'],
  ['/?A=1', '/?A=1'],
  ['/notifications%zz?A=%zz', '/notifications%25zz?A=%zz'],
  ['/', '/'],
  ['', ''],
])('%s is the path %s', (url, path) => expect(routedPath(url)).toBe(path));
