#!/bin/sh
set -eu
for file in *.yaml; do
  echo '---'
  cat "$file"
done
