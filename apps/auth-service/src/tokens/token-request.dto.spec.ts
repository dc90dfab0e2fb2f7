import 'reflect-metadata';
import { TokenRequest } from './token-request.dto.js';
import { TokensController } from './tokens.controller.js';

it('the body of a token request is validated: its class is in the metadata of the route', () => {
  const [body] = Reflect.getMetadata('design:paramtypes', TokensController.prototype, 'token') as unknown[];
  expect(body).toBe(TokenRequest);
});
