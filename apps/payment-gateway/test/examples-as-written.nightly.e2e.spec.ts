import { stage } from '@tranche/testing';
import {
  commandsOf,
  copyOfExample,
  installedLanguages,
  shopOfExamples,
  startIn,
  type ExampleCopy,
  type Language,
} from './language-examples.js';

const LANGUAGES: Language[] = ['python', 'java', 'go'];
const installed = installedLanguages(LANGUAGES);

let shop: ReturnType<typeof shopOfExamples>;
const copies: ExampleCopy[] = [];
beforeAll(async () => (shop = shopOfExamples(await stage('shop'))));
afterAll(() => copies.forEach((copy) => copy.remove()));

describe.each(LANGUAGES)('the commands of examples/%s/README.md', (language) => {
  const unlessAbsent = installed.includes(language) ? it : it.skip;

  unlessAbsent(
    'follow an order until its refund, also after a doubt, in an empty folder, and say readably what is refused',
    async () => {
      const copy = copyOfExample(language);
      copies.push(copy);
      const { prepare, run: command } = commandsOf(language);
      for (const line of prepare) expect(await startIn(copy, line, {}).ended).toMatchObject({ code: 0 });
      const example = { copy, command, orders: `as-written-in-${language}` };
      await shop.expectWholeOrder(example);
      await shop.expectDoubtThatEnds(example);
      await shop.expectReadableRefusals(example);
    },
    600_000,
  );
});
