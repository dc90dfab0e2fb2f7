#!/bin/sh
# Writes the files of every Secret that deploy/first-values.yaml needs, one folder for each Secret: sh deploy/first-secrets.sh FOLDER
# Keys that only this installation knows are made here. What others gave you is marked CHANGE-ME, or is an address that ends in `example`.
set -eu
umask 077
folder="${1:?the folder to write them into}"
[ ! -e "$folder" ] || { echo "$folder exists: choose another name, so that no key is written over" >&2; exit 1; }
random() { head -c 32 /dev/urandom | base64 | tr -d '\n'; }
file() { mkdir -p "$folder/$(dirname "$1")" && printf %s "$2" > "$folder/$1"; }

service_key="$(random)"
file tranche-gateway/auth-service-key "$service_key"
file tranche-gateway/index-hmac-keys "k1:$(random)"
file tranche-auth/token-encryption-key "$(random)"
file tranche-operators/operators.json "[
  { \"operator\": \"viewer\", \"key\": \"$(random)\", \"role\": \"viewer\" },
  { \"operator\": \"operator\", \"key\": \"$(random)\", \"role\": \"operator\" },
  { \"operator\": \"approver\", \"key\": \"$(random)\", \"role\": \"approver\" }
]"

file tranche-accounts/accounts.json "{
  \"accounts\": [
    { \"account\": \"shop\", \"grant\": \"client_credentials\", \"clientId\": \"CHANGE-ME\", \"clientSecret\": \"CHANGE-ME, the client secret\", \"scope\": \"CHANGE-ME\" }
  ],
  \"callers\": [{ \"caller\": \"payment-gateway\", \"key\": \"$service_key\", \"accounts\": [\"shop\"] }]
}"
file tranche-shop-fr/account-key 'CHANGE-ME, the account key of shop-fr'
database=0
for pair in gateway:payment-gateway ingest:notification-ingest auth:auth-service cse:cse-token-service; do
  # The users at Kafka and Redis are those of `tranche acls`.
  file "tranche-${pair%%:*}/kafka-password" "CHANGE-ME, the password of ${pair#*:} at Kafka"
  file "tranche-${pair%%:*}/redis-url" "rediss://${pair#*:}:CHANGE-ME@redis.example:6380/$database"
  database=$((database + 1))
done
echo "$folder has a folder for each Secret. The keys of three operators are in $folder/tranche-operators."
