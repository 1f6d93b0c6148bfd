#!/bin/sh
# Runs HAProxy, lets it load a changed certificate, and at the end lets requests finish.
# $1: a folder for two files, by which the plugin's container knows when it may end.
set -u
config=/opt/cmp-proxy/config/haproxy.cfg
signals=${1:-}
certificates() { cat /opt/cmp-proxy/tls/*.* /opt/cmp-proxy/tls/*/*.* 2>/dev/null | cksum; }

[ -z "$signals" ] || rm -f "$signals/.draining" "$signals/.drained"
loaded=$(certificates)
haproxy -W -db -f "$config" &
haproxy=$!
ending=
trap 'ending=yes; kill -USR1 "$haproxy"' TERM INT USR1

while kill -0 "$haproxy" 2>/dev/null; do
    sleep 2 &
    wait $! 2>/dev/null
    present=$(certificates)
    # Loading once more would undo the end. What does not fit yet is tried again: a Secret may be
    # half-way through its renewal.
    if [ -z "$ending" ] && [ "$present" != "$loaded" ] && haproxy -c -q -f "$config"; then
        loaded=$present
        kill -USR2 "$haproxy"
    fi
done
wait "$haproxy"
status=$?
[ -z "$signals" ] || touch "$signals/.drained"
exit "$status"
