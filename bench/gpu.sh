#!/usr/bin/env bash
# On a GPU machine: parity tests, the ladder of sizes, learners, the paper's Table 1 and PyTorch, into one JSON. Some four
# minutes.
#
#   bash bench/gpu.sh                                 # in a checkout that is built
#   bash .gpu-bundle/run.sh bash bench/gpu.sh         # on a bare machine
#
# $OUT: folder for the JSON (default bench/results). HINDCAST_BENCH_ADAPTER: part of an adapter's name (default: the first
# that is hardware). HINDCAST_BENCH_SMOKE=1: tiny sizes, to try the script. A part that fails or runs out of time is
# recorded, and the next one starts; the script ends non-zero if any part failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

out=${OUT:-bench/results}
mkdir -p "$out"
out=$(cd "$out" && pwd)
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
[ -n "${XDG_RUNTIME_DIR:-}" ] || { export XDG_RUNTIME_DIR=$parts/runtime; mkdir -m 700 "$XDG_RUNTIME_DIR"; }

export NO_COLOR=1
# part NAME SECONDS COMMAND…: runs it with a time limit; its output is kept, and its end is shown.
part() {
  local name=$1 limit=$2 started status
  shift 2
  printf '\n== %s (at most %s s): %s\n' "$name" "$limit" "$*"
  started=$(date +%s.%N)
  timeout --kill-after=3 "$limit" "$@" > "$parts/$name.log" 2> "$parts/$name.err"
  status=$?
  tail -n 40 "$parts/$name.err" "$parts/$name.log"
  [ "$status" -eq 0 ] || cat "$parts/$name.err" >> "$parts/$name.log"
  echo "$name $status $(node -p "(Date.now() / 1000 - $started).toFixed(1)")" >> "$parts/status"
}

if command -v nvidia-smi > /dev/null; then
  part nvidia 10 nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv,noheader
fi
part adapter 25 node bench/lib/adapter.mjs "${HINDCAST_BENCH_ADAPTER:-auto}"
adapter=$(node -p "JSON.parse(fs.readFileSync('$parts/adapter.log', 'utf8')).name" 2>/dev/null || echo auto)

size=(--quick)
full=()
peers=(--policies 1024 --events 1000000 --repeat 3 --peer-seconds 8)
if [ -n "${HINDCAST_BENCH_SMOKE:-}" ]; then
  size=(--smoke)
  full=(--smoke)
  peers=(--smoke)
fi
part parity 80 env "HINDCAST_TEST_ADAPTER=$adapter" node node_modules/vitest/vitest.mjs run \
  test/parity/gpu.test.ts test/gpu --reporter=dot --reporter=json "--outputFile.json=$parts/tests-parity.json"
# One lane or many, and the hard cases: kernels compile side by side.
learners() { # NAME PATTERN
  part "parity-$1" 100 env "HINDCAST_TEST_ADAPTER=$adapter" node node_modules/vitest/vitest.mjs run \
    test/parity/gpu-replay.test.ts -t "$2" --reporter=dot --reporter=json "--outputFile.json=$parts/tests-parity-$1.json"
}
learners few-lanes ', (1|8) lanes' &
learners many-lanes ', (32|64|256) lanes' &
learners hard-cases 'hard cases' &
wait
part ladder 45 node bench/ladder.mjs "${size[@]}" --deadline 35 --adapter "$adapter" --out "$parts"
part learners 45 node bench/learners.mjs "${size[@]}" --deadline 30 --adapter "$adapter" --out "$parts"
part table-1 40 node bench/table-1.mjs "${full[@]}" --gpu-only --adapter "$adapter" --out "$parts"
part peers 55 node bench/peers/run.mjs "${peers[@]}" --adapter "$adapter" --peers torch --dtypes float32 --out "$parts"

target=$out/$(date -u +%Y-%m-%dT%H%M%S)-gpu.json
printf '\n'
node bench/lib/combine.mjs "$parts" "$target" || exit 1
echo "results in $target"
! grep -qv '^[^ ]* 0 ' "$parts/status"
