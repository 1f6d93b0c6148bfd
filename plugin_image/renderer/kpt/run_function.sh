# Runs a function, and fails when it ends well without a proper result:
# `sh run_function.sh PYTHON refuse-empty|allow-empty FUNCTION`.
# kpt would take much for "no objects", and what is left would look complete.
set -eu
given=$(mktemp)
trap 'rm -f "$given"' EXIT
written=$(mktemp)
trap 'rm -f "$given" "$written"' EXIT
cat > "$given"
status=0
"$3" < "$given" > "$written" || status=$?
if [ "$status" = 0 ]; then
    # Isolated: neither the folder, which is from Git, nor variables choose what is imported.
    "$1" -I "${0%/*}/check_output.py" "$given" "$written" "$2"
fi
# Also of one that failed: it says why.
cat "$written"
exit "$status"
