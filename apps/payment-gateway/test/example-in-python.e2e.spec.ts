import { stage } from '@tranche/testing';
import { copyOfExample, pythonWithPackages, shopOfExamples, type Example } from './language-examples.js';

const python = pythonWithPackages();
const unlessAbsent = python === undefined ? it.skip : it;

let shop: ReturnType<typeof shopOfExamples>;
let example: Example;
beforeAll(async () => {
  shop = shopOfExamples(await stage('shop'));
  example = { copy: copyOfExample('python'), command: `${python} pay.py`, orders: 'example-in-python' };
});
afterAll(() => example?.copy.remove());

unlessAbsent('follows an order by signed commands until its refund', () => shop.expectWholeOrder(example));

unlessAbsent('goes on after a capture in doubt by the event that ends the doubt', () =>
  shop.expectDoubtThatEnds(example),
);

unlessAbsent('says readably that a card payment expired', () => shop.expectReadableExpiry(example));

unlessAbsent('says readably why a command was rejected or its signature refused', () =>
  shop.expectReadableRefusals(example),
);
