import { waitFor } from './wait-for.js';

it('gives back the first value that is neither undefined nor false', async () => {
  const answers = [undefined, false, 0];
  await expect(waitFor(() => answers.shift(), { pollMs: 1 })).resolves.toBe(0);
});

it('asks again after an error', async () => {
  let asked = 0;
  const condition = () => {
    asked += 1;
    if (asked < 3) throw new Error('not yet');
    return 'there';
  };
  await expect(waitFor(condition, { pollMs: 1 })).resolves.toBe('there');
});

it('names what it waited for and the last error', async () => {
  const condition = () => {
    throw new Error('connection refused');
  };
  await expect(waitFor(condition, { timeoutMs: 5, pollMs: 1, what: 'the event' })).rejects.toThrow(
    'waited 5 ms for the event in vain: connection refused',
  );
});
