#!/usr/bin/env bash
# One of Kubernetes' tests of kubectl, against a server that listens: run.sh FUNCTION, in a copy of Kubernetes' sources.
#
# Theirs start a cluster themselves; here they are given one: SECURE_API_PORT says where it is, and TMPDIR is theirs alone.
# Source: k8s.io/kubernetes, hack/make-rules/test-cmd.sh.
export TERM=xterm ALLOW_SKEW=1 SUPPORTED_RESOURCES='*' KUBE_JUNIT_REPORT_DIR="$TMPDIR/junit"
function=$1
source hack/lib/init.sh
source hack/lib/test.sh
source test/cmd/legacy-script.sh
kube::util::ensure-temp-dir
HOME=$KUBE_TEMP
kube::util::ensure-gnu-sed
CONTEXT=test
kubectl config set-credentials test-admin --token admin-token
kubectl config set-cluster local --insecure-skip-tls-verify --server "https://127.0.0.1:$SECURE_API_PORT"
kubectl config set-context "$CONTEXT" --user test-admin --cluster local
kubectl config use-context "$CONTEXT"
kubectl create -f - <<NODE
{"kind": "Node", "apiVersion": "v1", "metadata": {"name": "127.0.0.1", "annotations": {"save-managers": "true"}}}
NODE

# What runTests runs is named after what it is asked for; a namespace of its own stands for those of the tests before.
run_this_tests() {
  create_and_use_new_namespace
  "$function"
}
WHAT=this runTests
