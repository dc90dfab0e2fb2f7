"""Commands of Tranche as Kafka records: envelope, key, partition, signature. Copy this file into your service."""

from __future__ import annotations

import base64
import hashlib
import json
import uuid
from dataclasses import dataclass
from datetime import datetime, timezone

from confluent_kafka import Consumer, Message, Producer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


@dataclass(frozen=True)
class Command:
    """Store it with the order before you publish it: a repeat is the same record, with the same id and time."""

    topic: str
    key: str
    headers: dict[str, str]
    value: bytes


def new_command(topic: str, type_: str, data: dict) -> Command:
    headers = {
        "ce_specversion": "1.0",
        "ce_id": str(uuid.uuid4()),
        "ce_source": "/shop/python",
        "ce_type": type_,
        "ce_time": datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "content-type": "application/json",
    }
    return Command(topic, f"{data['merchant']}/{data['orderId']}", headers, json.dumps(data).encode())


@dataclass(frozen=True)
class Signer:
    """`seed` is the Ed25519 key: `d` of its JWK. `environment_id` is the gateway's ENVIRONMENT_ID."""

    kid: str
    seed: str
    environment_id: str

    def sign(self, command: Command) -> str:
        """Returns the header tranche-signature: a detached JWS over everything that the gateway reads."""
        names = sorted(name for name in command.headers if name == "content-type" or name.startswith("ce_"))
        lines = [
            "tranche-command-v1",
            f"environment:{self.environment_id}",
            f"topic:{command.topic}",
            f"key:{command.key}",
            *(f"{name}:{command.headers[name]}" for name in names),
            "sha256:" + base64url(hashlib.sha256(command.value).digest()),
        ]
        header = base64url(json.dumps({"alg": "EdDSA", "kid": self.kid}, separators=(",", ":")).encode())
        payload = base64url("\n".join(lines).encode())
        private_key = Ed25519PrivateKey.from_private_bytes(base64.urlsafe_b64decode(self.seed + "="))
        return f"{header}..{base64url(private_key.sign(f'{header}.{payload}'.encode()))}"


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def connect_producer(brokers: str) -> Producer:
    return Producer(
        {
            "bootstrap.servers": brokers,
            "partitioner": "murmur2_random",  # librdkafka's default is CRC32, which other clients do not use
            "enable.idempotence": True,
        }
    )


def publish(producer: Producer, signer: Signer, command: Command) -> None:
    """Returns when Kafka has stored the command. After an exception, publish the same command again."""
    headers = {**command.headers, "tranche-signature": signer.sign(command)}
    errors = []
    producer.produce(
        command.topic,
        key=command.key,
        value=command.value,
        headers=list(headers.items()),
        on_delivery=lambda error, _: errors.append(error),
    )
    producer.flush(30)
    if errors != [None]:
        raise RuntimeError(f"{command.topic}: {str(errors[0]) if errors else 'no acknowledgement within 30 s'}")


def connect_consumer(brokers: str, group: str) -> Consumer:
    return Consumer(
        {
            "bootstrap.servers": brokers,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "enable.auto.offset.store": False,  # store_offsets() after the work, so that a crash loses no event
        }
    )


def headers_of(message: Message) -> dict[str, str]:
    return {name: (text or b"").decode() for name, text in message.headers() or []}
