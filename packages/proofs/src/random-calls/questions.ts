import type { LargeFleet } from './large-fleet.ts'

/** A call whose work grows with the fleet: a query, or the dry run of a mutation. */
export interface LongQuestion {
  readonly name: string
  readonly document: string
  readonly variables?: Readonly<Record<string, unknown>>
}

const EXTRA_FIELDS = 'capacity { resourceClass total used claimed free } traits aggregates(first: 2) { nodes { name } }'
const VERDICT = 'hostName outcome rank totalWeight checks { filter } weights { weigher }'

/** Every kind of call whose work grows with the number of hosts, claims or requests and that writes nothing. */
export function longQuestions({ hosts, aggregates, decisions, groups, claims, revision }: LargeFleet): readonly LongQuestion[] {
  const spec = { gantt: { flavor: { vcpus: 4, memoryMb: 8_192, rootGb: 20 } } }
  const two = { gantt: { flavor: { vcpus: 4, memoryMb: 8_192, rootGb: 20 }, numInstances: 20 } }
  const giant = { gantt: { flavor: { vcpus: 20_000, memoryMb: 8_192 } } }
  // Every host of the fleet has two NUMA cells.
  const twoCells = { key: 'hw:numa_nodes', value: '2' }
  const dedicated = { key: 'hw:cpu_policy', value: 'dedicated' }
  const cells = (more: Readonly<Record<string, unknown>>) => ({
    gantt: { ...more, flavor: { vcpus: 8, memoryMb: 16_384, rootGb: 20, extraSpecs: [twoCells, dedicated] } },
  })
  const fullCells = { gantt: { flavor: { vcpus: 64, memoryMb: 4_000_000, extraSpecs: [twoCells] } } }
  const [decision] = decisions
  const refused = decisions.at(-1)
  const [host] = hosts
  const past = String(Math.max(1, revision - 200))
  const ask = (name: string, document: string, variables: Readonly<Record<string, unknown>> = {}): LongQuestion => ({
    name,
    document,
    variables,
  })
  const explain = (fields: string) => `query ($input: ExplainPlacementInput!) { explainPlacement(input: $input) { ${fields} } }`
  return [
    ask('hosts, first page', '{ hosts(first: 50) { totalCount nodes { name } } }'),
    ask('hosts, 500 with fields', `{ hosts(first: 500) { nodes { name state status ${EXTRA_FIELDS} } } }`),
    ask('hosts, by query', '{ hosts(first: 50, query: "mem.free>=1GiB -status:DISABLED trait:*AVX* *r0*") { totalCount nodes { name } } }'),
    ask(
      'hosts, ordered',
      '{ hosts(first: 500, orderBy: [{ field: FREE, resourceClass: "MEMORY_MB" }, { field: NAME }]) { nodes { name } } }',
    ),
    ask(
      'hosts, filtered',
      '{ hosts(first: 500, filter: { or: [{ name: { contains: "r1" } }, { not: { state: UP } }] }) { nodes { name } } }',
    ),
    ask(
      'hosts with their claims',
      '{ hosts(first: 100) { nodes { name claims(first: 20) { nodes { id decision { id } host { name } } } } } }',
    ),
    ask('hosts with their stats', '{ hosts(first: 500) { nodes { name stats numa { __typename } gpus { __typename } } } }'),
    ask('fleet totals', '{ fleet { totals { __typename } } }'),
    ask(
      'fleet columns',
      '{ fleet { columns(names: [STATE, AZ, AGGREGATES, TRAITS, CPU_FREE, MEM_FREE_MIB, CLAIMS, CPU_MODEL]) { ordinals names dictionaries { column values sets } columns { name data } } } }',
    ),
    ask('fleet columns, by query', '{ fleet { columns(names: [STATE, AZ], query: "claims>0") { names columns { name data } } } }'),
    ask('claims, 500', '{ claims(first: 500) { totalCount nodes { id fence host { name } resources { __typename } } } }'),
    ask('claims, by query', '{ claims(first: 500, query: "state:CONFIRMED age<1d") { totalCount nodes { id } } }'),
    ask('aggregates', '{ aggregates(first: 100) { nodes { name hostCount hostNames hosts(first: 20) { totalCount nodes { name } } } } }'),
    ask('server groups', '{ serverGroups(first: 500) { nodes { uuid members { count host { name } } } } }'),
    ask('one server group', 'query ($uuid: UUID!) { serverGroup(uuid: $uuid) { members { count host { name } } } }', { uuid: groups[0] }),
    ask('liveness', '{ liveness { up down suspect withheld { name } } }'),
    ask('required stats', '{ requiredStats { __typename namespaces { __typename } } }'),
    ask('decisions, 500', '{ decisions(first: 500) { nodes { id outcome hostCount spec { __typename } } } }'),
    ask(
      'capacity',
      'query ($input: CapacityInput!) { capacity(input: $input) { fits exact groups { __typename } bottleneck { __typename } } }',
      { input: { spec } },
    ),
    ask('capacity by host', 'query ($input: CapacityInput!) { capacity(input: $input) { fits groups(first: 500) { __typename } } }', {
      input: { spec, groupBy: 'HOST' },
    }),
    ask(
      'simulate',
      'query ($input: SimulateInput!) { simulate(input: $input) { placed failed utilisationAfter { __typename } decisions(first: 50) { __typename } } }',
      {
        input: {
          requests: [
            { spec, count: 50 },
            { spec: giant, count: 50 },
            { spec: two, count: 5 },
          ],
        },
      },
    ),
    ask('simulate, edited', 'query ($input: SimulateInput!) { simulate(input: $input) { placed failed } }', {
      input: {
        requests: [{ spec, count: 5 }],
        overlay: { removeHosts: hosts.slice(0, 500), ratios: [{ aggregate: null, resourceClass: 'VCPU', allocationRatio: 8 }] },
      },
    }),
    ...Object.entries({
      'every host once more': { addHosts: [{ likeHost: host, count: Math.min(hosts.length, 10_000) }] },
      'every host once more, in a new zone': {
        addHosts: [{ likeHost: host, count: Math.min(hosts.length, 10_000), availabilityZone: 'z9' }],
      },
      'every host removed': { removeHosts: hosts },
      'every host disabled': { disableHosts: hosts },
      'every host enabled': { enableHosts: hosts },
      'every host in an aggregate': { aggregateChanges: [{ aggregate: aggregates[0], addHosts: hosts }] },
    }).map(([name, overlay]) =>
      ask(`simulate, ${name}`, 'query ($input: SimulateInput!) { simulate(input: $input) { placed failed } }', {
        input: { requests: [{ spec, count: 2 }], overlay },
      }),
    ),
    ...['default', 'nova-compat'].map((profile) =>
      ask(`simulate, NUMA cells, profile ${profile}`, 'query ($input: SimulateInput!) { simulate(input: $input) { placed failed } }', {
        input: {
          profile,
          requests: [
            { spec: cells({}), count: 20 },
            { spec: cells({ numInstances: 20 }), count: 2 },
            { spec: fullCells, count: 2 },
          ],
        },
      }),
    ),
    ask('simulate many instances', 'query ($input: SimulateInput!) { simulate(input: $input) { placed failed } }', {
      input: { requests: [{ spec: { gantt: { ...spec.gantt, numInstances: 200 } }, count: 1 }] },
    }),
    ask('what would fit', 'query ($input: WhatWouldFitInput!) { whatWouldFit(input: $input) { fits tried counterfactuals { text } } }', {
      input: { spec: giant },
    }),
    ask(
      'what would fit, of a decision',
      'query ($input: WhatWouldFitInput!) { whatWouldFit(input: $input) { fits tried counterfactuals { text } } }',
      { input: { decisionId: refused } },
    ),
    ...Object.entries({ giant, fullCells }).map(([name, asked]) =>
      ask(
        `what would fit, two changes, ${name}`,
        'query ($input: WhatWouldFitInput!) { whatWouldFit(input: $input) { fits tried counterfactuals { text } } }',
        { input: { spec: asked, maxChanges: 2, first: 20 } },
      ),
    ),
    ask('explanation, NUMA cells', explain(`headline steps { __typename } verdicts(first: 200) { nodes { ${VERDICT} } }`), {
      input: { subject: { spec: cells({}) } },
    }),
    ask('explanation, NUMA cells of no host', explain(`headline nearMisses(first: 10) { ${VERDICT} }`), {
      input: { subject: { spec: fullCells } },
    }),
    ask('explanation, summary', explain('headline steps { __typename } reasons { __typename }'), { input: { subject: { spec } } }),
    ask('explanation, matrix', explain('matrix { hostNames bits distance firstFailing missing rank reason }'), {
      input: { subject: { decisionId: decision } },
    }),
    ask('explanation, near misses', explain(`nearMisses(first: 10) { ${VERDICT} }`), { input: { subject: { spec: giant } } }),
    ask('explanation, verdicts', explain(`verdicts(first: 200) { nodes { ${VERDICT} } }`), { input: { subject: { spec } } }),
    ask('explanation, weighing', explain('weighing(top: 200) { hosts { hostName totalWeight weights { weigher } } }'), {
      input: { subject: { spec } },
    }),
    ask(
      'explanation, weighing with checks',
      explain('weighing(top: 20) { hosts { hostName checks { filter reason text facts { subject } } } } matrix { filters }'),
      { input: { subject: { decisionId: decision } } },
    ),
    ask(
      'explanations of the decisions of claims',
      '{ claims(first: 20) { nodes { decision { id explanation { cause { text } profile { number } } } } } }',
    ),
    ask('explanation, text', explain('text'), { input: { subject: { decisionId: refused } } }),
    ask('explanation, late instance', explain('headline'), { input: { subject: { decisionId: decision }, instanceIndex: 9 } }),
    ask('explanation of the past', explain('headline fidelity'), { input: { subject: { decisionId: decision }, at: past } }),
    ask(
      'why not',
      'query ($input: WhyNotInput!) { whyNot(input: $input) { headline because outcome changedSince { __typename } versusWinner { __typename } } }',
      { input: { host: { host }, subject: { decisionId: decision } } },
    ),
    ask('tenant explanation', 'query ($spec: SpecInput!) { tenantExplanation(spec: $spec) { headline demands { __typename } } }', {
      spec: giant,
    }),
    ask('verify a decision', 'query ($id: ID!) { verifyDecision(id: $id) { outcome checks { part outcome } } }', { id: decision }),
    ask(
      'compare decisions',
      'query ($a: ID!, $b: ID!) { compareDecisions(a: $a, b: $b) { text flippedCount trials { __typename } flipped { __typename } } }',
      { a: decision, b: decisions[1] },
    ),
    ask(
      'compare profiles',
      'query ($c: ProfileCandidateInput!) { compareProfiles(baseline: "default", candidate: $c, sample: 50) { agreement sampled text chosenHosts { __typename } } }',
      {
        c: {
          draft: {
            filters: [{ name: 'ComputeFilter' }, { name: 'ResourceClassFilter' }],
            weighers: [{ name: 'RAMWeigher', multiplier: -1 }],
          },
        },
      },
    ),
    ask('hosts of the past', 'query ($at: Moment) { hosts(first: 50, at: $at) { totalCount nodes { name } } }', { at: past }),
    ask('columns of the past', 'query ($at: Moment) { fleet(at: $at) { columns(names: [STATE, CPU_FREE]) { columns { name } } } }', {
      at: past,
    }),
    ask('capacity of the past', 'query ($input: CapacityInput!) { capacity(input: $input) { fits } }', { input: { spec, at: past } }),
    ask(
      'aggregate edit, dry run with replay',
      'mutation ($uuid: UUID!, $input: AggregateUpdateInput!) { aggregateUpdate(uuid: $uuid, ifVersion: 2, input: $input, dryRun: true) { __typename ... on AggregatePayload { impact { hostsAffected } warnings { __typename } replay(sample: 50) { __typename } } } }',
      { uuid: aggregates[0], input: { removeHosts: hosts.slice(0, 500) } },
    ),
    ask(
      'status, dry run',
      'mutation ($hosts: [ResourceNameInput!]!) { hostSetStatus(hosts: $hosts, status: DISABLED, reason: "x", dryRun: true) { __typename ... on HostSetStatusPayload { impact { hostsAffected } hosts { name state } } } }',
      { hosts: hosts.slice(0, 1_000).map((name) => ({ host: name })) },
    ),
    ask('evacuation, dry run', 'mutation ($input: HostEvacuateInput!) { hostEvacuate(input: $input, dryRun: true) { __typename } }', {
      input: { host: { host }, idempotencyKey: 'evacuation' },
    }),
    ask('heal, dry run', 'mutation { replicaHeal(dryRun: true) { __typename } }'),
    ask('a page by ids', 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: claims.slice(0, 100) }),
  ]
}
