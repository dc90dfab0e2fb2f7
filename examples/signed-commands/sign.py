"""Signs a command: sign.py SEED KID ENVIRONMENT TOPIC KEY VALUE [NAME=TEXT ...]. SEED is `d` of the Ed25519 key's JWK, ENVIRONMENT
the gateway's ENVIRONMENT_ID ("" where it has none). Needs `cryptography`."""
import base64
import hashlib
import json
import sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sign(seed: str, kid: str, environment: str, topic: str, key: str, value: bytes, headers: dict[str, str]) -> str:
    names = sorted(name for name in headers if name == "content-type" or name.startswith("ce_"))
    lines = ["tranche-command-v1", f"environment:{environment}", f"topic:{topic}", f"key:{key}"]
    lines += [f"{name}:{headers[name]}" for name in names]
    lines.append("sha256:" + base64url(hashlib.sha256(value).digest()))
    header = base64url(json.dumps({"alg": "EdDSA", "kid": kid}, separators=(",", ":")).encode())
    private_key = Ed25519PrivateKey.from_private_bytes(base64.urlsafe_b64decode(seed + "=" * (-len(seed) % 4)))
    content = base64url("\n".join(lines).encode())
    signature = private_key.sign(f"{header}.{content}".encode())
    return f"{header}..{base64url(signature)}"


if __name__ == "__main__":
    seed, kid, environment, topic, key, value, *headers = sys.argv[1:]
    print(sign(seed, kid, environment, topic, key, value.encode(), dict(header.split("=", 1) for header in headers)))
