#!/bin/sh
# One `pulumi up` on a local backend that is empty: the fewest steps to the official engine's YAML.
set -eu
pulumi --non-interactive stack init dev
pulumi --non-interactive up --yes --skip-preview --stack dev
find "$RENDERED" -name '*.yaml' -exec cat {} +
