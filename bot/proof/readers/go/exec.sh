#!/bin/sh
# Started by `go test` in the place of each test program: runs it with events in its output, keeps that in a file beside
# this one, and prints what the program would have printed by itself.

case "${1##*/}" in
    *.test) ;;
    *) exec "$@" ;;
esac
program=$1
shift
shown=brief
for word in "$@"; do
    case $word in
        -test.list=* | -test.fuzzworker*) exec "$program" "$@" ;;
        -test.v=test2json) shown=events ;;
        -test.v=false) ;;
        -test.v*) shown=verbose ;;
    esac
done

events=test2json
case "$(go version "$program" 2>/dev/null)" in
    *": go1."[0-9] | *": go1."[0-9].* | *": go1.1"[0-9]*) events=true ;;
esac

results="${0%/*}/go-$$"
if ! { pwd && grep -n '^func [A-Z]' ./*_test.go /dev/null; } >"$results.where" 2>/dev/null && [ ! -s "$results.where" ]; then
    exec "$program" "$@"
fi

# What the tests start is no test of its own.
ours=" -exec=$0 -count=1"
flags=" ${GOFLAGS-}"
case $flags in
    *"$ours"*) flags="${flags%%"$ours"*}${flags#*"$ours"}" ;;
esac
unset GOFLAGS
[ -z "${flags# }" ] || export GOFLAGS="${flags# }"

# In front of all the command's own words: behind them it would be one of those that are the tests' (`-args`).
left=$#
are=flags
while [ "$left" -gt 0 ]; do
    word=$1
    shift
    left=$((left - 1))
    case $are:$word in
        flags:-test.v | flags:-test.v=*) continue ;;
        flags:- | flags:-- | flags:[!-]* | flags:) are=words ;;
    esac
    set -- "$@" "$word"
done

"$program" "-test.v=$events" "$@" >"$results.output" 2>&1
code=$?
echo "$code" >"$results.code"

mark=$(printf '\026')
failure=$(printf '\017')
ended=$(printf '\016')
case $shown in
    events) cat "$results.output" ;;
    verbose) sed -e "/^ *$mark*=== NAME/d" -e "s/[$mark$failure$ended]//g" "$results.output" ;;
    brief)
        sed -e "/^ *$mark*=== [A-Z]* /d" -e "/^ *$mark*--- PASS: /d" -e "/^ *$mark*--- SKIP: /d" \
            -e "s/$mark=== [A-Z]* .*//" -e "s/$mark--- PASS: .*//" -e "s/$mark--- SKIP: .*//" \
            -e "s/[$mark$failure$ended]//g" "$results.output"
        ;;
esac
exit "$code"
