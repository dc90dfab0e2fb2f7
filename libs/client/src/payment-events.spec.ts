import { EVENT_TYPES } from '@tranche/contracts';
import { isResultType, type EventData, type EventOf } from './payment-events.js';

it("has required fields where the type guarantees them, and is discriminated by the type's name", () => {
  const attemptOf = ({ attempt }: EventData<'payment.capture.succeeded'>): number => attempt;
  const faultsOf = (event: EventOf<'payment.capture.succeeded' | 'payment.command.rejected'>): number =>
    event.type === 'payment.command.rejected' ? event.data.faults.length : event.data.attempt;
  // @ts-expect-error a closing window has no attempt for sure
  const notSure = ({ attempt }: EventData<'payment.capture_window.closing'>): number => attempt;
  expect([attemptOf, faultsOf, notSure]).toHaveLength(3);
});

it('has the page of the form where the platform needs one, unless it says that there is none', () => {
  const pageOf = ({ data }: EventOf<'payment.authorize.redirect_required'>): string | undefined => {
    if (data.redirectHtmlDropped) return data.redirectHtml satisfies undefined;
    return data.redirectHtml satisfies string;
  };
  // @ts-expect-error there may be no page
  const always = ({ redirectHtml }: EventData<'payment.pay.redirect_required'>): string => redirectHtml;
  expect([pageOf, always]).toHaveLength(2);
});

it('takes for results what says what became of a command', () => {
  expect(EVENT_TYPES.filter((type) => !isResultType(type))).toEqual([
    'payment.capture_window.closing',
    'payment.operation.external',
    'payment.conflict.detected',
    'payment.conflict.settled',
  ]);
});
