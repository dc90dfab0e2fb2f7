#!/bin/sh
# Writes .env and the secret files that docker-compose.yml wants, and keeps those that are there: sh deploy/compose-secrets.sh [PORT_PREFIX]
set -eu
cd "$(dirname "$0")/.."
prefix="${1:-1}"
case "$prefix" in [1-5]) ;; *) echo "PORT_PREFIX must be 1 to 5, not $prefix" >&2; exit 1 ;; esac
umask 022 # User 1000 of the containers reads them.
mkdir -p .infra
random() { head -c 32 /dev/urandom | base64 | tr -d '\n'; }
file() { [ -e "$1" ] || printf %s "$2" > "$1"; }

file .infra/token-encryption-key "$(random)"
file .infra/desk-password "$(random | tr -dc a-z0-9 | cut -c1-12)"
file .infra/auth-service-key "$(sed -n 's/.*"key": "\(.*\)".*/\1/p' config/accounts.demo.json)"
if [ ! -e .env ]; then
  moved="s#\(127.0.0.1:\)1\(4[0-9]\{3\}\)#\1$prefix\2#; s#^PORT_PREFIX=.*#PORT_PREFIX=$prefix#"
  sed "$moved" config/merchants.compose.json > .infra/merchants.compose.json
  sed "$moved; s#./config/merchants.compose.json#./.infra/merchants.compose.json#" .env.example > .infra/env
  mv .infra/env .env # Whole or not at all: what is there is kept.
fi
prefix="$(sed -n 's/^PORT_PREFIX=//p' .env)"
[ "$prefix" = "${1:-$prefix}" ] || echo ".env is there already, with PORT_PREFIX=$prefix: remove it to have another one written" >&2
echo "docker compose up --build"
echo "The shop: http://127.0.0.1:${prefix}4050; its desk: /desk, any name, password $(cat .infra/desk-password)"
