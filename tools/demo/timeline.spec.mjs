import { money, timelineLines } from './timeline.mjs';

const event = (data, type = 'payment.capture.succeeded') => ({ id: 'e', type, data });

describe('timelineLines', () => {
  it('shows time, type, EXECCODE, amount and transaction in columns', () => {
    const data = { execCode: '0000', amount: 30_000, currency: 'EUR', transactionId: 't-1' };
    expect(timelineLines({ elapsedMs: 12.4, kind: 'event', event: event(data) })).toEqual([
      '     12 ms  ← payment.capture.succeeded            0000   300.00 EUR  t-1',
    ]);
  });

  it('shows every fault of a rejected command on a line of its own', () => {
    const faults = [{ path: 'billing.phone', code: 'format', message: 'must be a number' }, { path: '', code: 'id_reused', message: 'x'.repeat(200) }]; // prettier-ignore
    const lines = timelineLines({ elapsedMs: 1, kind: 'event', event: event({ faults }, 'payment.command.rejected') });
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(/^ +billing\.phone +format +must be a number$/);
    expect(lines[2]).toMatch(/^ +\(command\) +id_reused +x{89}…$/);
  });

  it('says that an event came again', () => {
    const [line] = timelineLines({ elapsedMs: 1, kind: 'event', event: event({}), isAgain: true });
    expect(line).toMatch(/\(the same event again\)$/);
  });

  it('shows what was noticed', () => {
    const [line] = timelineLines({ elapsedMs: 1, kind: 'event', event: event({ flags: ['capture_window_passed'] }) });
    expect(line).toMatch(/ capture_window_passed$/);
  });

  it('shows what was done', () => {
    expect(timelineLines({ elapsedMs: 0, kind: 'command', text: 'payment.capture sent' })).toEqual([
      '      0 ms  → payment.capture sent',
    ]);
  });
});

it('money has two decimals', () => {
  expect([money(30_000), money(5, 'EUR')]).toEqual(['300.00 EUR', '0.05 EUR']);
});
