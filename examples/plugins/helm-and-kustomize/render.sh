#!/bin/sh
# A chart, and what the chart has no value for, by a kustomization on top.
set -eu
helm template "$ARGOCD_APP_NAME" chart --namespace "$ARGOCD_APP_NAMESPACE" > rendered.yaml
kustomize build .
