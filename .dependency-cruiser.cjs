// The import rules. A rule says what is forbidden, and its comment says what to do instead.
const core = '^packages/scheduler-core/src'
const server = '^apps/server/src'
const console_ = '^apps/console/src'
const proofs = '^packages/proofs/src'
/** Files with arithmetic that several filters or weighers share. None of these files is a filter or weigher. */
const sharedParts = `${core}/(filters/(fit|extra-spec-match)|weighers/(fill|aggregate-m(ultiplier|etadata)))[.]ts$`
const tests = '[.](test|suite|bench)[.]ts$'
const installed = (...names) => names.map((name) => `(^|/)node_modules/${name}(/|$)`).join('|')

/** The layers of the core, lowest first: a file imports only its own layer and lower layers. ARCHITECTURE.md describes each layer. */
const coreLayers = {
  values: 'values/',
  text: '(text|query)/',
  request: 'request/',
  report: 'report/',
  records: 'records/',
  hosts: 'hosts/',
  kinds: 'kinds/',
  claims: 'claims/',
  profiles: 'profiles/',
  'namespace-facts': 'namespace/facts/',
  fleet: 'fleet/',
  contracts: 'contracts/',
  namespace: 'namespace/[^/]+$',
  filters: '(filters|weighers)/',
  outside: 'outside/',
  pipeline: 'pipeline/',
  cause: 'cause/',
  examine: 'examine/',
  schedulers: 'schedulers/',
  nova: 'nova/',
  decision: 'decision/',
  audit: 'audit/',
  compare: 'compare/',
  why: 'why/',
  'what-if': 'what-if/',
  plugin: 'plugin/',
}
const coreLayerRules = Object.entries(coreLayers)
  .slice(0, -1)
  .map(([layer, folder], i) => ({
    name: `core-${layer}-below`,
    severity: 'error',
    comment: `The layer ${layer} of the core imports no higher layer: move what it needs to a lower layer, or pass it as an argument.`,
    from: { path: `${core}/${folder}`, pathNot: [tests, '/testing/', '/testing[.]ts$'] },
    to: {
      path: Object.values(coreLayers)
        .slice(i + 1)
        .map((later) => `${core}/${later}`),
    },
  }))

module.exports = {
  forbidden: [
    {
      name: 'no-circle',
      severity: 'error',
      comment: 'Move what both need into a file of its own. Imports of types count too.',
      from: {},
      to: { circular: true },
    },
    { name: 'resolvable', severity: 'error', comment: 'The file or package does not exist.', from: {}, to: { couldNotResolve: true } },
    {
      name: 'declared',
      severity: 'error',
      comment: 'Name the package in the dependencies of the package that uses it.',
      from: { path: '^(apps|packages)/[^/]+/src', pathNot: [tests, '/testing/'] },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'], dependencyTypesNot: ['type-only', 'npm'] },
    },
    {
      name: 'core-is-pure',
      severity: 'error',
      comment: 'The core runs in a browser, a test, a worker: it imports only itself and zod, and no module of Node.',
      from: { path: `${core}/`, pathNot: tests },
      to: { pathNot: [`${core}/`, installed('zod')] },
    },
    ...coreLayerRules,
    {
      name: 'filters-stand-alone',
      severity: 'error',
      comment: 'A filter or weigher imports its contract and lower layers, but no other filter or weigher.',
      from: { path: `${core}/(filters|weighers)/`, pathNot: [tests, '/testing/', '/index[.]ts$'] },
      to: { path: `${core}/(filters|weighers)/`, pathNot: sharedParts },
    },
    {
      name: 'rules-of-nova-stand-alone',
      severity: 'error',
      comment: 'The code that reads text and fits guests into hosts as Nova does is arithmetic: it imports no fleet, filter or request.',
      from: { path: `${core}/nova/(text|hardware)/`, pathNot: tests },
      to: { path: `${core}/`, pathNot: [`${core}/nova/(text|hardware)/`, `${core}/(values|text)/`] },
    },
    {
      name: 'nova-is-built-in',
      severity: 'error',
      comment: 'The core uses the built-in package through contracts/built-in.ts; only bundled.ts loads it.',
      from: { path: `${core}/`, pathNot: [`${core}/(nova/|bundled[.]ts$)`, tests, '/testing/'] },
      to: { path: `${core}/nova/` },
    },
    {
      name: 'bundled-is-at-the-top',
      severity: 'error',
      comment: 'Only the entry points of the core load bundled.ts; all other files get the package from contracts/built-in.ts.',
      from: { path: `${core}/`, pathNot: [`${core}/((plugin|testing)/)?index[.]ts$`, tests, '/testing/'] },
      to: { path: `${core}/bundled[.]ts$` },
    },
    {
      name: 'filters-arrive-by-profile',
      severity: 'error',
      comment: 'A scheduler runs the filters and weighers of its profile; only the compilation of a profile looks up their names.',
      from: { path: `${core}/(schedulers|pipeline)/`, pathNot: [tests, `${core}/pipeline/compile[.]ts$`] },
      to: { path: `${core}/(filters|weighers)/` },
    },
    {
      name: 'schema-goes-through-services',
      severity: 'error',
      comment: 'A resolver only calls a service.',
      from: { path: `${server}/schema/`, pathNot: tests },
      to: { path: `${server}/(db|sync|stores|http)/` },
    },
    {
      name: 'services-know-the-contract',
      severity: 'error',
      comment: 'A service uses the contracts of synchronizers and stores: it imports no engine and no GraphQL.',
      from: { path: `${server}/services/`, pathNot: tests },
      to: { path: [`${server}/(schema|http)/`, `${server}/(sync|stores)/[^/]+/`, installed('graphql', 'graphql-yoga', '@pothos/[^/]+')] },
    },
    {
      name: 'parts-below-services',
      severity: 'error',
      comment: 'Plug-ins, solver, liveness and authentication are below the services: pass what they need of a service as an argument.',
      from: { path: `${server}/(plugin|solver|liveness|auth)/`, pathNot: tests },
      to: { path: `${server}/(http|schema|services)/` },
    },
    {
      name: 'replica-below-services',
      severity: 'error',
      comment: 'A replica imports contracts of engines, and tables, but no code that uses replicas: pass what it needs as an argument.',
      from: { path: `${server}/replica/`, pathNot: tests },
      to: {
        path: [`${server}/(http|schema|services|plugin|solver|liveness|auth)/`, `${server}/(sync|stores)/[^/]+/`, `${server}/engine[.]ts$`],
      },
    },
    {
      name: 'engines-below-replica',
      severity: 'error',
      comment: 'An engine stores the log and other data, and imports none of the code that reads them.',
      from: { path: `${server}/((sync|stores|nats-server)/|engine[.]ts$)`, pathNot: tests },
      to: { path: `${server}/(http|schema|services|replica|plugin|solver|liveness|auth)/` },
    },
    {
      name: 'db-below-engines',
      severity: 'error',
      comment: 'The code of a table implements a contract of the files directly in sync and stores, and imports no engine or higher layer.',
      from: { path: `${server}/db/`, pathNot: tests },
      to: {
        path: [
          `${server}/(http|schema|services|replica|plugin|solver|liveness|auth)/`,
          `${server}/(sync|stores)/[^/]+/`,
          `${server}/(engine|stores/postgres)[.]ts$`,
        ],
      },
    },
    {
      name: 'event-loop-below-all',
      severity: 'error',
      comment: 'The code that lets long work take turns is used by every layer, and imports none of them.',
      from: { path: `${server}/(event-loop/|(timers|unavailable)[.]ts$)`, pathNot: tests },
      to: { path: `${server}/`, pathNot: `${server}/(event-loop/|(timers|unavailable)[.]ts$)` },
    },
    {
      name: 'synchronizers-stand-alone',
      severity: 'error',
      comment: 'A synchronizer imports no other synchronizer, no service and no schema.',
      from: { path: `${server}/sync/([^/]+)/`, pathNot: tests },
      to: { path: [`${server}/sync/[^/]+/`, `${server}/(services|schema)/`], pathNot: `${server}/sync/$1/` },
    },
    {
      name: 'model-shares-nothing',
      severity: 'error',
      comment: 'The reference model is a second opinion: it imports nothing but its own files.',
      from: { path: `${proofs}/safety-in-simulation/model/`, pathNot: tests },
      to: { pathNot: `${proofs}/safety-in-simulation/model/` },
    },
    {
      name: 'model-of-decisions-shares-nothing',
      severity: 'error',
      comment: 'The model of decisions is a second opinion: it imports only types from the core, and no function.',
      from: { path: `${proofs}/decision-correctness/model/` },
      to: { pathNot: `${proofs}/decision-correctness/model/`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nothing-needs-the-proofs',
      severity: 'error',
      comment:
        'The product runs without the proofs. The command line loads a proof by its name when it is requested; tests may use some parts.',
      from: { path: '^(apps|packages)/', pathNot: ['^packages/proofs/', '^apps/cli/src/proofs[.]ts$', tests, '/testing/'] },
      to: { path: '^packages/proofs/' },
    },
    {
      name: 'proofs-have-doors',
      severity: 'error',
      comment: 'Proofs import core, client, server and command line only through entry points: export there what a proof needs.',
      from: { path: `${proofs}/`, pathNot: tests },
      to: {
        path: '^(apps|packages)/',
        pathNot: [
          `${proofs}/`,
          `${core}/((testing|query|nova|plugin)/)?index[.]ts$`,
          '^packages/client/src/index[.]ts$',
          `${server}/(index|for-proofs)[.]ts$`,
          '^apps/cli/src/for-proofs[.]ts$',
        ],
      },
    },
    {
      name: 'doors-for-proofs',
      severity: 'error',
      comment: 'These entry points are for packages/proofs only; other packages import the index.',
      from: { path: '^(apps|packages)/', pathNot: '^packages/proofs/' },
      to: { path: '^apps/(server|cli)/src/for-proofs[.]ts$' },
    },
    {
      name: 'only-db-knows-prisma',
      severity: 'error',
      comment: 'Only the files in db use Prisma, each for one kind of data: call one of them.',
      from: { path: '^(apps|packages)/', pathNot: [`${server}/(db|generated)/`] },
      to: { path: [`${server}/generated/prisma`, installed('@prisma/[^/]+')] },
    },
    {
      name: 'server-has-one-door',
      severity: 'error',
      comment:
        'Other packages import only the index of the server; tests may also import its test databases and its rule for JSON (builders-are-for-tests).',
      from: { path: '^(apps|packages)/', pathNot: '^apps/server/' },
      to: { path: '^apps/server/', pathNot: `${server}/(index|for-proofs|testing/(test-database|json-rule))[.]ts$` },
    },
    {
      name: 'core-has-five-doors',
      severity: 'error',
      comment:
        'Other packages import the core only by its entry points: index, filter grammar, rules of Nova, parts of plug-ins, test builders.',
      from: { path: '^(apps|packages)/', pathNot: '^packages/scheduler-core/' },
      to: { path: '^packages/scheduler-core/', pathNot: `${core}/((testing|query|nova|plugin)/)?index[.]ts$` },
    },
    {
      name: 'grammar-stands-alone',
      severity: 'error',
      comment: 'The filter grammar, and the display of names, import no fleet, because a browser loads them without the rest of the core.',
      from: { path: `${core}/query/`, pathNot: tests },
      to: { pathNot: `${core}/(query/|text/plain-text\\.ts$)` },
    },
    {
      name: 'builders-are-for-tests',
      severity: 'error',
      comment:
        'What is published as ./testing, the folder testing/ of the repository, and api-tests/ of the server, are for tests and benchmarks.',
      from: { path: '^(apps|packages)/', pathNot: [tests, '/testing/', '/(bench|scenarios)/'] },
      to: { path: ['/src/testing/', '/src/api-tests/', '^testing/'] },
    },
    {
      name: 'features-stand-alone',
      severity: 'error',
      comment: 'A page of the console imports only what all pages share. It leads to another page by a link.',
      from: { path: `${console_}/features/([^/]+)/`, pathNot: tests },
      to: { path: `${console_}/(features|app)/`, pathNot: `${console_}/features/$1/` },
    },
    {
      name: 'shared-parts-know-no-feature',
      severity: 'error',
      comment: 'Code that every page of the console uses imports none of the pages.',
      from: { path: `${console_}/(ui|lib)/`, pathNot: tests },
      to: { path: `${console_}/(features|app)/` },
    },
    {
      name: 'console-knows-the-grammar',
      severity: 'error',
      comment: 'Of the core, the console imports only the filter grammar. All other data comes from the service.',
      from: { path: `${console_}/`, pathNot: tests },
      to: { path: '^packages/scheduler-core/', pathNot: `${core}/query/index[.]ts$` },
    },
    {
      name: 'nobody-imports-the-console',
      severity: 'error',
      comment: 'No code imports the console: the service serves its built files.',
      from: { pathNot: '^apps/console/' },
      to: { path: '^apps/console/src/' },
    },
    {
      name: 'client-is-typed-calls',
      severity: 'error',
      comment: 'The client imports no code of the service: it uses only the schema.',
      from: { path: '^packages/client/', pathNot: tests },
      to: { path: '^(apps/|packages/scheduler-core/)' },
    },
    {
      name: 'client-runs-in-browsers',
      severity: 'error',
      comment: 'The client runs in Node and in browsers: it uses only what both have, or what the caller passes.',
      from: { path: '^packages/client/', pathNot: tests },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'agent-is-a-client',
      severity: 'error',
      comment: 'The agent runs on machines without the service, so it imports only the client. Its tests may start a service.',
      from: { path: '^apps/agent/', pathNot: tests },
      to: { path: '^(apps|packages)/', pathNot: '^(apps/agent/|packages/client/src/index[.]ts$)' },
    },
    {
      name: 'nothing-imports-the-cli',
      severity: 'error',
      comment: 'No code imports the command line. Proofs use its commands through a separate entry point (proofs-have-doors).',
      from: { path: '^(apps|packages)/', pathNot: ['^apps/cli/', `${proofs}/.*${tests}`] },
      to: { path: '^apps/cli/', pathNot: '^apps/cli/src/for-proofs[.]ts$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|generated/prisma/(internal|models))/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'types', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
  },
}
