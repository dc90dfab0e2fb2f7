import type { Metrics, ServiceLogger } from '@tranche/service-kit';
import type { FailureLimits } from '../limits/failure-limits.store.js';
import type { NotificationProducer } from '../notification.producer.js';
import { QuarantineService } from './quarantine.service.js';

it('a notification that is too long to be kept is dropped before its content is read', () => {
  const inc = jest.fn();
  const limits = { takeLine: () => false, takeQuarantine: jest.fn() } as unknown as FailureLimits;
  const metrics = { counterFromZero: () => ({ inc }) } as unknown as Metrics;
  const quarantine = new QuarantineService({} as NotificationProducer, limits, {} as ServiceLogger, metrics);
  const read = jest.fn(() => '2027-01-02T03:04:05Z');
  quarantine.keep('hash_mismatch', {
    id: 'content',
    from: '192.0.2.1',
    parameters: [['HASH', 'a'.repeat(64)], ['MESSAGE', '4 '.repeat(500_000)]], // prettier-ignore
    get receivedAt() {
      return read();
    },
  });
  expect(inc).toHaveBeenCalledWith({ reason: 'size' });
  expect(read).not.toHaveBeenCalled();
});
