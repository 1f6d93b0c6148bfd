#!/bin/sh
# The steps of the plugin that this project grew from, without `npm ci`. Its backend lasts, so
# each render takes down what the one before has made. It stays in this run's own home: `--local`
# would put it into that of the user, whatever HOME says.
set -eu
pulumi login "file://$HOME"
pulumi --non-interactive stack select --create dev
pulumi down -y --non-interactive -s dev
pulumi up -f -y --non-interactive -s dev
find "$RENDERED" -name '*.yaml' -exec cat {} +
