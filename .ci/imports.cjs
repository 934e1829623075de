/**
 * Which room may import which (DESIGN: imports point one way), checked by dependency-cruiser: `npm run imports`.
 * Type-only imports count too. `.ci/imports-bite.mjs` proves that every rule bites.
 */

/** Room → rooms it may import, itself aside. A room is a folder of src/, or a file right below it. */
const ROOMS = {
  printable: [],
  errors: ['printable'],
  archive: ['errors'],
  version: [],
  files: ['errors'],
  random: ['errors'],
  estimate: ['random', 'archive', 'errors'],
  log: ['files', 'estimate', 'random', 'archive', 'errors'],
  policy: ['log', 'files', 'estimate', 'random', 'archive', 'errors'],
  learner: ['policy', 'log', 'estimate', 'random', 'archive', 'errors'],
  gpu: ['files', 'errors'],
  // gpu: only from the files named in `gpu-is-behind-run`. report: only types, see `run-knows-results-by-type`.
  run: ['policy', 'learner', 'log', 'files', 'estimate', 'random', 'archive', 'errors', 'gpu', 'report'],
  report: ['run', 'policy', 'learner', 'log', 'estimate', 'random', 'errors', 'printable', 'version'],
  simulate: ['policy', 'learner', 'log', 'estimate', 'random', 'archive', 'errors'],
  evaluate: ['report', 'run', 'policy', 'learner', 'log', 'estimate', 'random', 'archive', 'errors', 'version'],
  replay: ['report', 'run', 'policy', 'learner', 'log', 'estimate', 'random', 'archive', 'errors', 'version'],
  'schema-files': ['policy', 'learner', 'log', 'report', 'errors'],
  cli: [
    'evaluate',
    'replay',
    'simulate',
    'report',
    'run',
    'gpu',
    'files',
    'policy',
    'learner',
    'log',
    'estimate',
    'random',
    'archive',
    'errors',
    'printable',
    'version',
  ],
  index: [
    'evaluate',
    'replay',
    'simulate',
    'report',
    'run',
    'policy',
    'learner',
    'log',
    'estimate',
    'random',
    'archive',
    'errors',
    'version',
  ],
};

const room = (name) => `^src/${name}(/|\\.ts$)`;

/** Files that may need Node: the edges, where files, threads and drivers are. */
const NODE_FILES = [
  '^src/cli/',
  '^src/files/',
  '^src/gpu/(device|swiftshader|vulkan)\\.ts$',
  '^src/log/formats/',
  '^src/log/read',
  '^src/log/(packed/|convert\\.ts$)',
  '^src/policy/node-files\\.ts$',
  '^src/run/(cpu-worker|replay-worker|worker-pool|checkpoint-file|checkpoint-place)\\.ts$',
  '^src/schema-files\\.ts$',
  '^src/simulate/files/',
];
const TYPES_ONLY = ['type-only', 'type-import'];

module.exports = {
  forbidden: [
    ...Object.entries(ROOMS).map(([name, allowed]) => ({
      name: `${name}-imports-one-way`,
      severity: 'error',
      from: { path: room(name) },
      to: { path: '^src/', pathNot: [name, ...allowed].map(room) },
    })),
    {
      name: 'every-room-has-a-rule',
      comment: 'A new room needs a line in ROOMS.',
      severity: 'error',
      from: { path: '^src/', pathNot: Object.keys(ROOMS).map(room) },
      to: {},
    },
    {
      name: 'no-cycles',
      comment: 'Type-only imports included.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'gpu-is-behind-run',
      comment: 'Only the GPU engine and the choice of an engine know the device.',
      severity: 'error',
      from: {
        path: room('run'),
        pathNot: ['^src/run/gpu[^/]*\\.ts$', '^src/run/gpu-replay/', '^src/run/(choose-backend|replay-choose)\\.ts$'],
      },
      to: { path: room('gpu') },
    },
    {
      name: 'run-knows-results-by-type',
      severity: 'error',
      from: { path: room('run') },
      to: { path: room('report'), dependencyTypesNot: TYPES_ONLY },
    },
    {
      name: 'node-at-the-edges',
      comment: 'The engine runs wherever there is WebGPU or WebAssembly.',
      severity: 'error',
      from: { path: '^src/', pathNot: NODE_FILES },
      to: { dependencyTypes: ['core'], dependencyTypesNot: TYPES_ONLY },
    },
    {
      name: 'node-on-demand-in-cpu-engine',
      comment: 'The CPU engines run without threads where the platform has none.',
      severity: 'error',
      from: { path: '^src/run/worker-pool\\.ts$' },
      to: { dependencyTypes: ['core'], dependencyTypesNot: TYPES_ONLY, dynamic: false },
    },
    {
      name: 'native-modules-at-the-edges',
      severity: 'error',
      from: { path: '^src/', pathNot: NODE_FILES },
      to: { path: 'node_modules/(@duckdb|webgpu)/', dependencyTypesNot: TYPES_ONLY },
    },
    {
      name: 'native-modules-load-lazily',
      comment: 'The engine works where only one of DuckDB and Dawn can load.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: 'node_modules/(@duckdb|webgpu)/', dependencyTypesNot: TYPES_ONLY, dynamic: false },
    },
    {
      name: 'terminal-libraries-in-cli-and-report',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/cli/', '^src/report/'] },
      to: { path: 'node_modules/(commander|cli-progress|cli-table3|string-width)/' },
    },
    {
      name: 'no-development-packages',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: TYPES_ONLY },
    },
    {
      name: 'everything-resolves',
      severity: 'error',
      from: { path: '^src/' },
      to: { couldNotResolve: true, pathNot: '^@webgpu/types$' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    // Build steps and AssemblyScript are no part of the program.
    exclude: { path: ['\\.mjs$', '\\.as\\.ts$'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
