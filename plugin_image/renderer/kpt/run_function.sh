# Runs a function, and fails when it ends well without a proper result: `sh run_function.sh FUNCTION`.
# kpt would take much for "no objects", and what is left would look complete. The render looks at the
# result (checking.py), which has loaded already what that takes.
set -eu
checks=$TMPDIR/checks
given=$(mktemp "$checks/XXXXXX")
trap 'rm -f "$given"' EXIT
written=$(mktemp "$checks/XXXXXX")
trap 'rm -f "$given" "$written"' EXIT
cat > "$given"
status=0
"$1" < "$given" > "$written" || status=$?
if [ "$status" = 0 ]; then
    echo "${given##*/} ${written##*/}" > "$checks/asks"
    read -r fault < "$checks/answers"
    if [ -n "$fault" ]; then
        printf '%s\n' "$fault" >&2
        exit 1
    fi
fi
# Also of one that failed: it says why.
cat "$written"
exit "$status"
