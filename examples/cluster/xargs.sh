#!/bin/sh
# A run in parts, as many at a time as there are cores: sh xargs.sh LOG POLICIES PARTS [more options of hindcast evaluate]
# Started again, it computes the parts that are missing. The result is that of the run in one piece.
set -eu
log=$1 policies=$2 parts=$3
shift 3
mkdir -p parts
seq "$parts" | xargs -P "$(nproc)" -I{} \
  hindcast evaluate "$log" --policies "$policies" "$@" --threads 1 --part "{}/$parts" --out "parts/part-{}.parquet"
hindcast merge parts/part-*.parquet --out result.json
