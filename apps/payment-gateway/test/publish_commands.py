"""Publishes commands with the settings of confluent-kafka that nobody changes: partitioner consistent_random, which is CRC32 of the key.

Reads one JSON object a line from standard input: {"topic", "key", "value", "headers"}. Ends with the number of partitions used.
"""
import json
import sys

from confluent_kafka import Producer

refused = []
used = set()


def acknowledged(error, message):
    if error is not None:
        refused.append(str(error))
    else:
        used.add(message.partition())


producer = Producer({"bootstrap.servers": sys.argv[1]})
for line in sys.stdin:
    command = json.loads(line)
    producer.produce(
        command["topic"],
        key=command["key"],
        value=command["value"],
        headers=command["headers"],
        on_delivery=acknowledged,
    )
    producer.poll(0)
producer.flush(60)
if refused:
    sys.exit("; ".join(refused))
print(len(used))
