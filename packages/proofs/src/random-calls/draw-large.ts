import { anyLength, chance, longText, oneOf } from './choose.ts'
import type { Call } from './draw-document.ts'
import { drawLegacySpec, drawNovaHost, drawNovaSpec, maybeDamaged } from './draw-nova.ts'
import type { Source } from './draw-value.ts'
import { BODY_BYTES } from './size.ts'

/** A long text leaves at least this many bytes of the body for everything else. */
const OTHER_BYTES = 2_000
/** A variable is used at most this many times: more would make the document longer than allowed. */
const MAX_USES = 1_000

const FLAVOR = 'flavor: { vcpus: 1, memoryMb: 64 }'

/** Documents with a text in the variable `t`. */
const WITH_TEXT: readonly (readonly [root: string, document: string])[] = [
  ['host', 'query ($t: String!) { host(name: $t) { name } }'],
  ['hosts', 'query ($t: String!) { hosts(first: 5, query: $t) { totalCount } }'],
  ['hosts', 'query ($t: String!) { hosts(first: 5, filter: { name: { contains: $t } }) { totalCount } }'],
  ['node', 'query ($t: ID!) { node(id: $t) { id } }'],
  ['tenantExplanation', `query ($t: String!) { tenantExplanation(spec: { gantt: { projectId: $t, ${FLAVOR} } }) { __typename } }`],
  [
    'hostSetStatus',
    'mutation ($t: String!) { hostSetStatus(hosts: [{ host: "x" }], status: DISABLED, reason: $t, dryRun: true) { __typename } }',
  ],
  ['claimRelease', 'mutation ($t: ID!) { claimRelease(claims: [{ id: $t, fence: 1 }]) { __typename } }'],
  ['claimAbandon', 'mutation ($t: String!) { claimAbandon(idempotencyKey: $t) { __typename } }'],
  ['hostHeartbeat', 'mutation ($t: String!) { hostHeartbeat(hosts: [{ host: $t }]) { __typename heard } }'],
  [
    'selectDestinations',
    `mutation ($t: String!) { selectDestinations(input: { idempotencyKey: "t", profile: $t, spec: { gantt: { ${FLAVOR} } } }) { __typename } }`,
  ],
]

/** A call with a text of any length up to the limit of a body, in a variable or as a comment of the document. */
export function drawLongText({ random }: Source): Call {
  const text = longText(random, BODY_BYTES - OTHER_BYTES)
  if (chance(random, 5))
    return { ...ofLongText, document: `{ fleet { asOf } } # ${text}`, variables: {}, roots: ['fleet'], isWriting: false }
  const [root, document] = oneOf(random, WITH_TEXT)
  return { ...ofLongText, document, variables: { t: text }, roots: [root], isWriting: mayWrite(document) }
}

const ofLongText = { kind: 'long text' } as const
const mayWrite = (document: string): boolean => document.startsWith('mutation') && !document.includes('dryRun: true')

/** Documents that use the variable `x` in `uses` places. */
const REPEATED: readonly ((uses: string) => readonly [root: string, declared: string, body: string])[] = [
  (uses) => ['hosts', '$x: String!', `hosts(first: 5, filter: { name: { in: [${uses}] } }) { totalCount }`],
  (uses) => ['hosts', '$x: HostFilter!', `hosts(first: 5, filter: { or: [${uses}] }) { totalCount }`],
  (uses) => ['hosts', '$x: String!', `hosts(first: 5, filter: { traits: [${uses}] }) { totalCount }`],
  (uses) => ['claimRelease', '$x: ClaimRef!', `claimRelease(claims: [${uses}]) { __typename }`],
  (uses) => ['hostHeartbeat', '$x: ResourceNameInput!', `hostHeartbeat(hosts: [${uses}]) { heard }`],
  (uses) => ['explainPlacement', '$x: JSON!', `explainPlacement(input: { subject: { spec: { nova: [${uses}] } } }) { headline }`],
  (uses) => ['updateResourceStats', '$x: ResourceStatsInput!', `updateResourceStats(input: { updates: [${uses}] }) { appliedCount }`],
  (uses) => ['aggregateImport', '$x: JSON!', `aggregateImport(dryRun: true, document: { a: [${uses}] }) { __typename }`],
]

/** A call that uses one variable many times. */
export function drawRepeatedVariable({ random, fleet }: Source, number: number): Call {
  const [root, declared, body] = oneOf(random, REPEATED)(Array.from({ length: anyLength(random, MAX_USES) }, () => '$x').join(' '))
  const text = chance(random, 50) ? oneOf(random, fleet.hosts) : longText(random, BODY_BYTES - OTHER_BYTES)
  const host = oneOf(random, fleet.hosts)
  const values: Readonly<Record<string, unknown>> = {
    '$x: String!': text,
    '$x: HostFilter!': { name: { contains: text } },
    '$x: ClaimRef!': { id: text, fence: 1 },
    '$x: ResourceNameInput!': { host: text },
    '$x: JSON!': chance(random, 50) ? text : { lists: Array.from({ length: anyLength(random, 100_000) }, () => 0) },
    '$x: ResourceStatsInput!': {
      name: { host },
      reporter: { incarnation: '00000000-0000-4000-8000-0000000000f2', sequence: number + 1 },
      report: { nova: maybeDamaged(random, drawNovaHost(random, host)) },
    },
  }
  const operation = /^(claim|hostHeartbeat|update|aggregate)/.test(root) ? 'mutation' : 'query'
  const document = `${operation} (${declared}) { ${body} }`
  return { kind: 'repeated variable', document, variables: { x: values[declared] }, roots: [root], isWriting: mayWrite(document) }
}

/** A request in one of Nova's forms, some of them damaged: it is placed or explained, or its capacity is counted. */
export function drawNovaRequest({ random, fleet }: Source, number: number): Call {
  const spec = chance(random, 70)
    ? { nova: maybeDamaged(random, drawNovaSpec(random, fleet.hosts)) }
    : { legacy: maybeDamaged(random, drawLegacySpec(random)) }
  const profile = oneOf(random, ['default', 'nova-compat'])
  const ask = (root: string, document: string, input: unknown): Call => ({
    ...{ kind: 'Nova request', document, variables: { input }, roots: [root], isWriting: mayWrite(document) },
  })
  switch (random.below(3)) {
    case 0:
      return ask(
        'selectDestinations',
        'mutation ($input: SelectDestinationsInput!) { selectDestinations(input: $input) { __typename ... on UserError { code message } } }',
        { idempotencyKey: `fuzz-${number}`, profile, claim: { mode: oneOf(random, ['NONE', 'RESERVE', 'CONFIRM']) }, spec },
      )
    case 1:
      return ask(
        'explainPlacement',
        'query ($input: ExplainPlacementInput!) { explainPlacement(input: $input) { headline steps { __typename } } }',
        {
          subject: { spec },
          profile,
        },
      )
    default:
      return ask('capacity', 'query ($input: CapacityInput!) { capacity(input: $input) { fits exact } }', {
        ...{ spec, profile },
        // Without a limit, a request that is counted one instance at a time uses the whole time limit of a count.
        ...(chance(random, 80) && { limit: anyLength(random, 1_000) }),
      })
  }
}
