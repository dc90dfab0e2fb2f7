"""Signs and publishes commands with the example's own code, in place of its program: one JSON object a line on standard input."""
import json
import os
import sys

from tranche import Command, Signer, connect_producer, publish

signer = Signer(os.environ["SIGNING_KID"], os.environ["SIGNING_KEY"], os.environ["ENVIRONMENT_ID"])
producer = connect_producer(os.environ["KAFKA_BROKERS"])
for line in sys.stdin.buffer:
    command = json.loads(line)
    publish(producer, signer, Command(command["topic"], command["key"], command["headers"], command["value"].encode()))
