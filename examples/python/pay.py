"""Authorizes an order, waits for the customer, captures it, and refunds it."""

import base64
import json
import os
import sys
import time

from tranche import Signer, connect_consumer, connect_producer, headers_of, new_command, publish

BROKERS = os.environ.get("KAFKA_BROKERS", "127.0.0.1:9092")
PREFIX = os.environ.get("KAFKA_TOPIC_PREFIX", "")
MERCHANT = os.environ.get("MERCHANT", "shop-fr")
ORDER_ID = os.environ.get("ORDER_ID", f"python-{time.time_ns() // 1_000_000}")
# The published test key, which `npm run stack` accepts for shop-fr and production refuses.
SIGNER = Signer(
    kid=os.environ.get("SIGNING_KID", "shop-fr-test"),
    seed=os.environ.get("SIGNING_KEY", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"),
    environment_id=os.environ.get("ENVIRONMENT_ID", "demo"),
)
COMMANDS = PREFIX + "payments.commands.partner-a.v1"
EVENTS = PREFIX + "payments.events.v1"
DEAD_LETTERS = PREFIX + "payments.commands.dead-letter.v1"  # in production, only operators may read it
FIRST_ANSWER_SECONDS = 60

person = {
    "firstName": "Jeanne",
    "lastName": "Martin",
    "mobilePhone": "+33612345678",
    "address": "12 rue des Lilas",
    "postalCode": "75011",
    "city": "Paris",
    "country": "FR",
}
order = {"merchant": MERCHANT, "orderId": ORDER_ID, "amount": 30000, "description": "Three chairs"}
authorization = {
    **order,
    "paymentOption": "partnerA-3xcb",
    "client": {"id": "customer-1", "email": "jeanne@example.com", "ip": "203.0.113.10", "userAgent": "Mozilla/5.0"},
    "billing": person,
    "shipping": person,
    "cart": [{"totalAmount": 30000}],
}

producer = connect_producer(BROKERS)
commands = {}  # in your service: columns of the order


def publish_once(type_: str, data: dict) -> None:
    """A success may be published again with more details. It must not lead to a second capture with another id."""
    if type_ not in commands:
        commands[type_] = new_command(COMMANDS, type_, data)
        publish(producer, SIGNER, commands[type_])
        print(f"published {type_}")


def handle(type_: str, data: dict) -> bool:
    """Returns whether the order has ended."""
    if type_.endswith(".doubt_resolved"):  # in place of the event that its outcome names
        type_ = type_.replace("doubt_resolved", data["outcome"])
    if type_ == "payment.authorize.redirect_required":
        with open("form.html", "wb") as page:
            page.write(base64.b64decode(data["redirectHtml"]))
        print("open form.html and decide as the customer")
    elif type_ == "payment.authorize.succeeded":
        publish_once("payment.capture", order)
    elif type_ == "payment.capture.succeeded":
        publish_once("payment.refund", order)
    elif type_.endswith((".refused", ".rejected", ".expired", ".not_executed")):
        faults = [f"{fault['path']} {fault['message']}" for fault in data.get("faults", [])]
        sys.exit(f"{type_}: {'; '.join(faults) or data.get('message', 'no reason given')}")
    return type_ == "payment.refund.succeeded"


publish_once("payment.authorize", authorization)
consumer = connect_consumer(BROKERS, group="shop-in-python")
consumer.subscribe([EVENTS, DEAD_LETTERS])
seen = set()  # in your service: a table with a unique key, written in the transaction of the work
deadline = time.monotonic() + FIRST_ANSWER_SECONDS
try:
    ended = False
    while not ended:
        message = consumer.poll(1)
        if message is None:
            if not seen and time.monotonic() > deadline:
                sys.exit(f"no answer in {FIRST_ANSWER_SECONDS} s: check the command with `tranche commands check`")
            continue
        if message.error():
            print(message.error(), file=sys.stderr)
            continue
        headers = headers_of(message)
        if message.key() == f"{MERCHANT}/{ORDER_ID}".encode():
            if message.topic() == DEAD_LETTERS:
                sys.exit(f"dead letter: {headers['dead-letter-code']}: {headers['dead-letter-message']}")
            if headers["ce_id"] not in seen:
                print(f"received {headers['ce_type']}")
                ended = handle(headers["ce_type"], json.loads(message.value()))
                seen.add(headers["ce_id"])
        consumer.store_offsets(message)
finally:
    consumer.close()
print(f"{ORDER_ID} was captured and refunded")
