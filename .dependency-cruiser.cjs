// Who imports whom (CONTRIBUTING.md has the table). A rule here says what is forbidden; its comment says what to do instead.
const core = '^packages/scheduler-core/src'
const server = '^apps/server/src'
const console_ = '^apps/console/src'
const proofs = '^packages/proofs/src'
/** Arithmetic that several filters or weighers share; none of these is a filter or weigher itself. */
const sharedParts = `${core}/(filters/(fit|extra-spec-match)|weighers/(fill|aggregate-m(ultiplier|etadata)))[.]ts$`
const tests = '[.](test|suite|bench)[.]ts$'
const installed = (...names) => names.map((name) => `(^|/)node_modules/${name}(/|$)`).join('|')

/** The layers of the core, lowest first: a file imports its own layer and those before it. ARCHITECTURE.md says what each holds. */
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
    comment: `The layer ${layer} of the core knows none of the layers after it: move down what it needs, or pass it in.`,
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
      comment: 'The core runs in a browser, a test, a worker: it imports itself and zod, no module of Node.',
      from: { path: `${core}/`, pathNot: tests },
      to: { pathNot: [`${core}/`, installed('zod')] },
    },
    ...coreLayerRules,
    {
      name: 'filters-stand-alone',
      severity: 'error',
      comment: 'A filter or weigher knows its contract and the layers below it; never another filter.',
      from: { path: `${core}/(filters|weighers)/[^/]+[.]ts$`, pathNot: [tests, '/index[.]ts$'] },
      to: { path: `${core}/(filters|weighers)/`, pathNot: sharedParts },
    },
    {
      name: 'rules-of-nova-stand-alone',
      severity: 'error',
      comment: 'How Nova reads text and fits guests into hosts is arithmetic: no fleet, no filter, no request of ours.',
      from: { path: `${core}/nova/(text|hardware)/`, pathNot: tests },
      to: { path: `${core}/`, pathNot: [`${core}/nova/(text|hardware)/`, `${core}/(values|text)/`] },
    },
    {
      name: 'nova-is-built-in',
      severity: 'error',
      comment: 'The core knows the built-in package by contracts/built-in.ts; bundled.ts alone loads it.',
      from: { path: `${core}/`, pathNot: [`${core}/(nova/|bundled[.]ts$)`, tests, '/testing/'] },
      to: { path: `${core}/nova/` },
    },
    {
      name: 'bundled-is-at-the-top',
      severity: 'error',
      comment: 'The entry points of the core load bundled.ts; all other files ask contracts/built-in.ts for the package.',
      from: { path: `${core}/`, pathNot: [`${core}/((plugin|testing)/)?index[.]ts$`, tests, '/testing/'] },
      to: { path: `${core}/bundled[.]ts$` },
    },
    {
      name: 'filters-arrive-by-profile',
      severity: 'error',
      comment: 'A scheduler runs the filters and weighers of its profile; only compiling a profile looks their names up.',
      from: { path: `${core}/(schedulers|pipeline)/`, pathNot: [tests, `${core}/pipeline/compile[.]ts$`] },
      to: { path: `${core}/(filters|weighers)/` },
    },
    {
      name: 'schema-goes-through-services',
      severity: 'error',
      comment: 'A resolver is one line into a service.',
      from: { path: `${server}/schema/`, pathNot: tests },
      to: { path: `${server}/(db|sync|stores|http)/` },
    },
    {
      name: 'services-know-the-contract',
      severity: 'error',
      comment: 'A service knows that there is a synchronizer, not which one, and no GraphQL.',
      from: { path: `${server}/services/`, pathNot: tests },
      to: { path: [`${server}/(schema|http)/`, `${server}/(sync|stores)/[^/]+/`, installed('graphql', 'graphql-yoga', '@pothos/[^/]+')] },
    },
    {
      name: 'parts-below-services',
      severity: 'error',
      comment: 'What services and replica ask (plug-ins, solver, liveness, callers) is below the services: pass in what it needs of them.',
      from: { path: `${server}/(plugin|solver|liveness|auth)/`, pathNot: tests },
      to: { path: `${server}/(http|schema|services)/` },
    },
    {
      name: 'replica-below-services',
      severity: 'error',
      comment: 'A replica knows the engines by their contracts, the tables, and nothing of what is built on it: pass in what it needs.',
      from: { path: `${server}/replica/`, pathNot: tests },
      to: {
        path: [`${server}/(http|schema|services|plugin|solver|liveness|auth)/`, `${server}/(sync|stores)/[^/]+/`, `${server}/engine[.]ts$`],
      },
    },
    {
      name: 'engines-below-replica',
      severity: 'error',
      comment: 'An engine keeps the log and the other stores; it does not know who reads them.',
      from: { path: `${server}/((sync|stores|nats-server)/|engine[.]ts$)`, pathNot: tests },
      to: { path: `${server}/(http|schema|services|replica|plugin|solver|liveness|auth)/` },
    },
    {
      name: 'db-below-engines',
      severity: 'error',
      comment: 'A table implements the contract of a store (the files directly in sync and stores); it knows no engine and nothing above.',
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
      comment: 'How long work takes turns is used by every layer, and knows none of them.',
      from: { path: `${server}/(event-loop/|(timers|unavailable)[.]ts$)`, pathNot: tests },
      to: { path: `${server}/`, pathNot: `${server}/(event-loop/|(timers|unavailable)[.]ts$)` },
    },
    {
      name: 'synchronizers-stand-alone',
      severity: 'error',
      comment: 'One way of synchronising does not lean on another, nor on services or schema.',
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
      comment: 'The model of decisions is a second opinion: of the core it knows the types of its input, and not one function.',
      from: { path: `${proofs}/decision-correctness/model/` },
      to: { pathNot: `${proofs}/decision-correctness/model/`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nothing-needs-the-proofs',
      severity: 'error',
      comment:
        'The product runs without them. The command line loads them by their name when they are asked for; tests may use their parts.',
      from: { path: '^(apps|packages)/', pathNot: ['^packages/proofs/', '^apps/cli/src/proofs[.]ts$', tests, '/testing/'] },
      to: { path: '^packages/proofs/' },
    },
    {
      name: 'proofs-have-doors',
      severity: 'error',
      comment: 'What proofs need of core, client, server and command line comes by their doors: name it in one.',
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
      comment: 'These doors are for packages/proofs; others come in by the index.',
      from: { path: '^(apps|packages)/', pathNot: '^packages/proofs/' },
      to: { path: '^apps/(server|cli)/src/for-proofs[.]ts$' },
    },
    {
      name: 'only-db-knows-prisma',
      severity: 'error',
      comment: 'Ask a file in db, one noun each.',
      from: { path: '^(apps|packages)/', pathNot: [`${server}/(db|generated)/`] },
      to: { path: [`${server}/generated/prisma`, installed('@prisma/[^/]+')] },
    },
    {
      name: 'server-has-one-door',
      severity: 'error',
      comment: 'From outside, the server is what its index names; its test databases are for tests too (builders-are-for-tests).',
      from: { path: '^(apps|packages)/', pathNot: '^apps/server/' },
      to: { path: '^apps/server/', pathNot: `${server}/(index|for-proofs|testing/test-database)[.]ts$` },
    },
    {
      name: 'core-has-five-doors',
      severity: 'error',
      comment:
        'From outside, the core is what its index names, its filter grammar, the rules of Nova, what plug-ins are made of, and its builders for tests.',
      from: { path: '^(apps|packages)/', pathNot: '^packages/scheduler-core/' },
      to: { path: '^packages/scheduler-core/', pathNot: `${core}/((testing|query|nova|plugin)/)?index[.]ts$` },
    },
    {
      name: 'grammar-stands-alone',
      severity: 'error',
      comment: 'The filter grammar, and how a name is shown, know rows and fields, no fleet: a browser loads them by themselves.',
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
      comment: 'A page of the console knows what all pages share; a link is how one leads to another.',
      from: { path: `${console_}/features/([^/]+)/`, pathNot: tests },
      to: { path: `${console_}/(features|app)/`, pathNot: `${console_}/features/$1/` },
    },
    {
      name: 'shared-parts-know-no-feature',
      severity: 'error',
      comment: 'What every page of the console uses knows none of them.',
      from: { path: `${console_}/(ui|lib)/`, pathNot: tests },
      to: { path: `${console_}/(features|app)/` },
    },
    {
      name: 'console-knows-the-grammar',
      severity: 'error',
      comment: 'A browser loads the filter grammar; what else the core knows comes from the service.',
      from: { path: `${console_}/`, pathNot: tests },
      to: { path: '^packages/scheduler-core/', pathNot: `${core}/query/index[.]ts$` },
    },
    {
      name: 'nobody-imports-the-console',
      severity: 'error',
      comment: 'The console is files that the service serves.',
      from: { pathNot: '^apps/console/' },
      to: { path: '^apps/console/src/' },
    },
    {
      name: 'client-is-typed-calls',
      severity: 'error',
      comment: 'The client knows the service by its schema only.',
      from: { path: '^packages/client/', pathNot: tests },
      to: { path: '^(apps/|packages/scheduler-core/)' },
    },
    {
      name: 'client-runs-in-browsers',
      severity: 'error',
      comment: 'The client runs in Node and in browsers: what it needs of its surroundings both have, or the caller gives.',
      from: { path: '^packages/client/', pathNot: tests },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'agent-is-a-client',
      severity: 'error',
      comment: 'The agent runs on machines without the service: of ours it knows the client only. Its tests may start a service.',
      from: { path: '^apps/agent/', pathNot: tests },
      to: { path: '^(apps|packages)/', pathNot: '^(apps/agent/|packages/client/src/index[.]ts$)' },
    },
    {
      name: 'nothing-imports-the-cli',
      severity: 'error',
      comment: 'The command line is an end, not a library. Proofs share its commands by a door of their own (proofs-have-doors).',
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
