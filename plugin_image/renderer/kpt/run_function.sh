# Runs a function, and fails when it ends well without a result: `sh run_function.sh FUNCTION`.
# kpt would take that for "no objects", and what is left would look complete.
set -eu
result=$(mktemp)
trap 'rm -f "$result"' EXIT
status=0
"$1" > "$result" || status=$?
# Also of one that failed: it says why.
cat "$result"
if [ "$status" = 0 ] && [ ! -s "$result" ]; then
    echo "it wrote nothing; a function writes all objects that are to stay" >&2
    status=1
fi
exit "$status"
