#!/bin/sh
# Builds a Kubernetes API without containers from Go's module sources into .infra/deploy/kubernetes: etcd, API server, controller manager,
# scheduler, kubectl, and kwok, which plays nodes and pods. About 15 minutes of two cores and 3 GB at the first run. Needs go and python3.
set -eu
cd "$(dirname "$0")/.."
mkdir -p .infra/deploy/kubernetes/bin .infra/deploy/kubernetes/src .infra/deploy/kubernetes/stages
cd .infra/deploy/kubernetes
bin=$PWD/bin
export GOWORK=off GOFLAGS=-mod=mod

# fetch MODULE VERSION FOLDER [VERSION OF ITS PARTS]: a module that is built as the main one may not replace others.
fetch() {
  [ -f "src/$3/ready" ] && return 0
  rm -rf "src/$3"
  from=$(cd / && go mod download -json "$1@$2" | python3 -c 'import json, sys; print(json.load(sys.stdin)["Dir"])')
  cp -r "$from" "src/$3"
  chmod -R u+w "src/$3"
  python3 - "src/$3/go.mod" "${4:-}" <<'PYTHON'
import re, sys

file, version = sys.argv[1:]
text = open(file).read()
text = re.sub(r'^replace \([^)]*\)\n|^replace .*\n', '', text, flags=re.M)
if version:
    text = re.sub(r'(\sk8s\.io/[\w./-]+) v0\.0\.0(?=\s)', r'\1 ' + version, text)
open(file, 'w').write(text)
PYTHON
  touch "src/$3/ready"
}

# What Helm asks the API for, and kubectl says.
version=
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  version="$version -X $package.gitVersion=v1.36.3 -X $package.gitMajor=1 -X $package.gitMinor=36"
done

# build FOLDER PROGRAM PACKAGE
build() {
  [ -x "$bin/$2" ] && return 0
  echo "building $2"
  (cd "src/$1" && go build -ldflags "$version" -o "$bin/$2" "$3")
}

fetch go.etcd.io/etcd/server/v3 v3.7.3 etcd
build etcd etcd .
fetch sigs.k8s.io/kwok v0.8.0 kwok
build kwok kwok ./cmd/kwok
cp -f src/kwok/kustomize/stage/node/fast/node-*.yaml src/kwok/kustomize/stage/pod/fast/pod-*.yaml stages/
fetch k8s.io/kubernetes v1.36.3 kubernetes v0.36.3
for part in kubectl kube-scheduler kube-controller-manager kube-apiserver; do
  build kubernetes "$part" "./cmd/$part"
done
