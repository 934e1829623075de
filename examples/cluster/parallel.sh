#!/bin/sh
# The same by GNU parallel, which takes other machines too (--sshlogin, with a file system that all share):
# sh parallel.sh LOG POLICIES PARTS [more options of hindcast evaluate]
set -eu
log=$1 policies=$2 parts=$3
shift 3
mkdir -p parts
seq "$parts" | parallel --will-cite --halt now,fail=1 \
  hindcast evaluate "$log" --policies "$policies" "$@" --threads 1 --part "{}/$parts" --out "parts/part-{}.parquet"
hindcast merge parts/part-*.parquet --out result.json
