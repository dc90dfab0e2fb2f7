/** The platform executes but the gateway cannot know it: the operation is in doubt, is not sent again, and its notification resolves it. */
import { newOrderId } from './orders.mjs';
import { must } from './story.mjs';
import { difference } from './timeline.mjs';

export async function gatewayKilled(stage) {
  const story = stage.story('partner-a', newOrderId('wardrobe'));
  await story.authorizeWithMethodA();
  await stage.platform.fault({ operation: 'capture', orderPrefix: story.orderId }, { latencyMs: 10_000 });
  await story.send('payment.capture', { description: 'Shipped' });
  await stage.platform.called(story.orderId, 'capture');
  await stage.kill('payment-gateway');
  story.note('the call has reached the platform: gateway killed (SIGKILL) before the answer');
  await stage.stop('notification-ingest');
  story.note('the webhook is away, too: the platform has to repeat its notification');
  await stage.start('payment-gateway');
  story.note('gateway started again');
  const doubt = await story.next('payment.capture.in_doubt');
  must(difference('outcome while in doubt', undefined, doubt.data.outcome));
  await stage.start('notification-ingest');
  story.note('the webhook is back');
  const resolved = await story.next('payment.capture.doubt_resolved');
  must(difference('outcome', 'succeeded', resolved.data.outcome));
  must(difference('origin', 'notification', resolved.data.origin));
  must(difference('capture calls', 1, await story.calls('capture')));
  await story.executes({ authorization: 1, capture: 1 });
}

export async function timedOut(stage) {
  const story = stage.story('partner-a', newOrderId('bench'));
  await story.authorizeWithMethodA();
  await stage.platform.fault(
    { operation: 'capture', orderPrefix: story.orderId },
    { timeout: 'after', notification: 'none' },
  );
  await story.send('payment.capture', { description: 'Shipped' });
  await stage.platform.called(story.orderId, 'capture');
  story.note('the platform executes, never answers, and does not notify yet');
  const doubt = await story.next('payment.capture.in_doubt');
  must(difference('outcome while in doubt', undefined, doubt.data.outcome));
  story.note('no answer in time: nobody here can know, so nothing is sent again');
  await stage.platform.notify(stage.identifier, story.orderId);
  story.note('the platform notifies at last');
  const resolved = await story.next('payment.capture.doubt_resolved');
  must(difference('outcome', 'succeeded', resolved.data.outcome));
  must(difference('origin', 'notification', resolved.data.origin));
  must(difference('capture calls', 1, await story.calls('capture')));
  await story.executes({ authorization: 1, capture: 1 });
}
