import { NextAnswer } from './gateway-kafka.module.js';

const turn = () => new Promise(setImmediate);

it('asks once for all who come while an answer is awaited, and not before they came', async () => {
  const open: ((answer: string) => void)[] = [];
  const answers = new NextAnswer(() => new Promise<string>((resolve) => void open.push(resolve)));
  const first = answers.ask();
  await turn();
  const [second, third] = [answers.ask(), answers.ask()];
  await turn();
  expect(open).toHaveLength(1);
  open[0]!('first');
  expect(await first).toBe('first');
  await turn();
  expect(open).toHaveLength(2);
  open[1]!('second');
  expect(await Promise.all([second, third])).toEqual(['second', 'second']);
});

it('asks again after a question that failed', async () => {
  const given = [Promise.reject(new Error('Kafka is away')), Promise.resolve('answer')];
  const answers = new NextAnswer(() => given.shift()!);
  await expect(answers.ask()).rejects.toThrow('Kafka is away');
  expect(await answers.ask()).toBe('answer');
});
