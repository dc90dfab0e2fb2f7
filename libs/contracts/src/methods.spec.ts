import { commandClass } from './commands/validate-command.js';
import {
  amountLimits,
  amountLimitsInWords,
  isPaymentOption,
  METHOD_NAMES,
  methodOfRail,
  METHODS,
  optionRow,
  optionsOf,
  PAYMENT_OPTIONS,
  RAILS,
} from './methods.js';
import { SCHEMA_SOURCES } from './schemas.js';
import { COMMAND_TOPICS } from './topics.js';

describe.each(METHOD_NAMES)('method %s', (name) => {
  const { rail, begins, fields, takesVoid } = METHODS[name];

  it('has a rail of its own, with a topic', () => {
    expect(methodOfRail(rail)).toBe(name);
    expect(COMMAND_TOPICS[rail].name).toBe(`payments.commands.${rail}.v1`);
  });

  it('has the class and the schema that its row names', () => {
    const type = SCHEMA_SOURCES.find((source) => source.name === fields)?.type;
    expect(type).toBeDefined();
    expect(commandClass(rail, `payment.${begins}`)).toBe(type);
    expect(commandClass(rail, 'payment.void') !== undefined).toBe(takesVoid);
  });
});

describe.each(Object.keys(PAYMENT_OPTIONS).filter(isPaymentOption))('option %s', (option) => {
  const { method, markets, instalments } = optionRow(option);

  it('is one of its method, in its markets', () => {
    expect(METHOD_NAMES.filter((name) => (optionsOf(name) as readonly string[]).includes(option))).toEqual([method]);
    for (const market of markets) expect(optionsOf(method, market)).toContain(option);
    expect(option.startsWith(`partner${method}-`)).toBe(true);
    expect(instalments).toBeGreaterThanOrEqual(1);
  });
});

it('has rails of different names, and languages of all methods', () => {
  expect(RAILS).toEqual(['partner-a', 'partner-b', 'card']);
  const languages = new Set(METHOD_NAMES.flatMap((name): readonly string[] => METHODS[name].languages));
  expect([...languages]).toEqual(expect.arrayContaining(['fr', 'sk', 'cs']));
  expect(languages.size).toBe(11);
});

it('offers accounts of the Spanish market one option of method B (interface, authorization, rule 4)', () => {
  expect(optionsOf('B', 'ES')).toEqual(['partnerB-3xsansfrais']);
  expect(optionsOf('A', 'ES')).toEqual(optionsOf('A'));
});

it('limits method B to 150 to 2000 EUR (interface, authorization, rule 3)', () => {
  expect(amountLimits('B')).toEqual({ currency: 'EUR', min: 15_000, max: 200_000 });
  expect([amountLimits('A'), amountLimits('card')]).toEqual([undefined, undefined]);
  expect(amountLimitsInWords()).toBe('method B: 150 to 2000 EUR');
});
