/** These scenarios need only time to pass. Clocks of platform, gateway and shop move together; each move restarts the gateway. */
import { newOrderId, partnerBOrder } from './orders.mjs';
import { must } from './story.mjs';
import { difference } from './timeline.mjs';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The interface says: "0003: no update, 6 days elapse: expired, considered failed" (States and transitions). */
export async function pendingExpires(stage) {
  const story = stage.story('partner-b', newOrderId('chairs'));
  await story.send('payment.authorize', partnerBOrder(story.orderId));
  await story.decide(
    await story.next('payment.authorize.redirect_required'),
    'pending',
    'the provider wants to look at it',
  );
  await story.next('payment.authorize.pending');
  story.note('from now on the platform says nothing more about this order');
  await travel(stage, story, 6 * DAY_MS + MINUTE_MS, '6 days and a minute later');
  const expired = await story.next('payment.authorize.expired');
  must(difference('origin', 'timer', expired.data.origin));
  must(difference('calls', 1, await story.calls('authorization')));
}

/** The interface says: "Capture later than 7 days after the authorization: success no longer guaranteed" (States and transitions). */
export async function captureWindow(stage) {
  const story = stage.story('partner-a', newOrderId('desk'));
  await story.authorizeWithMethodA();
  await travel(stage, story, 6 * DAY_MS + MINUTE_MS, '6 days and a minute later');
  const closing = await story.next('payment.capture_window.closing');
  must(difference('origin', 'timer', closing.data.origin));
  await travel(stage, story, DAY_MS, 'another day later, 7 days and a minute after the authorization');
  await story.send('payment.capture', { description: 'Shipped late' });
  const late = await story.next('payment.capture.refused');
  must(difference('flags', ['capture_window_passed'], late.data.flags));
  must(difference('EXECCODE', '2009', late.data.execCode));
  must(difference('capture calls', 1, await story.calls('capture')));
  story.note(
    'sent all the same, and flagged: success is no longer guaranteed, the platform decides, and this one says no',
  );
  await story.executes({ authorization: 1 });
}

async function travel(stage, story, ms, when) {
  await stage.travel(ms);
  story.note(`${when}: platform and shop have travelled, the gateway was started again with its clock moved`);
}
