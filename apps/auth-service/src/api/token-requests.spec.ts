import 'reflect-metadata';
import { TokenRequest, UserTokenRequest, TokensController } from './tokens.controller.js';

it.each([
  ['token', TokenRequest],
  ['userToken', UserTokenRequest],
])('the body of a %s request is validated: its class is in the metadata of the route', (route, body) => {
  const types = Reflect.getMetadata('design:paramtypes', TokensController.prototype, route) as unknown[];
  expect(types[0]).toBe(body);
});
