#!/bin/sh
# The steps of the plugin that this project grew from, without `npm ci`. Its backend lasts, so
# each render takes down what the one before has made.
set -eu
pulumi login --local
pulumi --non-interactive stack select --create dev
pulumi down -y --non-interactive -s dev
pulumi up -f -y --non-interactive -s dev
find "$RENDERED" -name '*.yaml' -exec cat {} +
