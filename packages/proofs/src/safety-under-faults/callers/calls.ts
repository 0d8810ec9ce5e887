import { type Client, FaultError, mayHaveHappened, UnreachableError } from '@gantt/client'
import {
  type Answer,
  type Call,
  type ClaimState,
  type EndOfClaims,
  type EndResult,
  firstNameOf,
  type Leave,
  type Outcome,
  type Place,
  type PlacedClaim,
} from '../history.ts'
import { isPickedUnit, requestFor } from '../picked-units.ts'
import { STATS, type Stats } from './host-agents.ts'
import { novaRequest } from './nova-request.ts'

const SELECTED = `__typename
  ... on SelectDestinationsPayload { replayed fleetRevision decision { id }
    destinations { instanceUuid selected { host { name } claim { id fence state } } alternates { host { name } } } }
  ... on UserError { message } ... on ValidationError { issues { path message } }`
const SELECT = `mutation Select($input: SelectDestinationsInput!) { selectDestinations(input: $input) { ${SELECTED} } }`

const ON_ALTERNATE = `mutation OnAlternate($input: ClaimCreateInput!) { selectDestinations: claimCreate(input: $input) { ${SELECTED} } }`

const endOf = (name: string, more = '', args = '') =>
  `mutation End($claims: [ClaimRef!]!${more}) { ends: ${name}(claims: $claims${args}) { __typename ... on ClaimPayload { fleetRevision } } }`

const ENDS: Readonly<Record<EndOfClaims['type'], string>> = {
  confirm: endOf('claimConfirm'),
  extend: endOf('claimExtend', ', $ttl: Duration!', ', ttl: $ttl'),
  release: endOf('claimRelease'),
}

const ABANDON = `mutation Abandon($key: String!) { claimAbandon(idempotencyKey: $key) { __typename ... on ClaimPayload { fleetRevision claims { id } } } }`

const STATUS = `mutation Status($host: String!, $status: HostStatus!) {
  hostSetStatus(hosts: [{ host: $host }], status: $status, reason: "nemesis") { __typename } }`

const AGGREGATE = `mutation Edit($uuid: UUID!, $ifVersion: Int!, $input: AggregateUpdateInput!) {
  aggregateUpdate(uuid: $uuid, ifVersion: $ifVersion, input: $input) { __typename ... on AggregatePayload { aggregate { version } } } }`

const LEAVE: Readonly<Record<Leave['how'], string>> = {
  forget: `mutation Leave($host: String!) { left: hostForget(hosts: [{ host: $host }], reason: "nemesis") { __typename } }`,
  force: `mutation Leave($host: String!) { left: hostForget(hosts: [{ host: $host }], force: true, reason: "nemesis") { __typename } }`,
  readmit: `mutation Leave($host: String!) { left: hostReadmit(host: { host: $host }, reason: "nemesis") { __typename } }`,
  replace: `mutation Leave($host: String!, $by: String!) {
    left: hostReplace(host: { host: $host }, by: { host: $by }, reason: "nemesis") { __typename } }`,
}

const ALLOCATE = `mutation Allocate($host: String!, $class: String!, $ratio: Float, $reserved: SafeInt) {
  set: hostSetAllocation(hosts: [{ host: $host }], resourceClass: $class, ratio: $ratio, reserved: $reserved, reason: "nemesis") { __typename } }`

const READ = `query Read { hosts(first: 20) { nodes { name status capacity { resourceClass free } } } claims(first: 20) { nodes { id state } } }`

interface SelectAnswer {
  readonly __typename: string
  readonly message?: string
  readonly issues?: readonly { readonly path: readonly string[]; readonly message: string }[]
  readonly replayed: boolean
  readonly fleetRevision: string
  readonly decision: { readonly id: string }
  readonly destinations: readonly {
    readonly instanceUuid: string | null
    readonly selected: {
      readonly host: { readonly name: string }
      readonly claim: { readonly id: string; readonly fence: number; readonly state: ClaimState } | null
    }
    readonly alternates: readonly { readonly host: { readonly name: string } }[]
  }[]
}

interface StatsAnswer {
  readonly results: readonly { readonly issues?: readonly { readonly rule: string }[] }[]
}

/** The fields of a host's report that are sent but not recorded in the history. */
export interface ReportBody {
  readonly incarnation: string
  readonly sequence: number
  readonly stats: Stats
}

/** Makes a call and returns its outcome. Does not throw if the service or the network fails. */
export async function perform(client: Client, call: Call, report?: ReportBody): Promise<Outcome> {
  try {
    return { type: 'ok', answer: await ask(client, call, report) }
  } catch (error) {
    // If the connection was refused, the call certainly had no effect.
    if (error instanceof UnreachableError) return { type: mayHaveHappened(error) ? 'info' : 'fail', why: error.message }
    if (error instanceof FaultError && error.code === 'INTERNAL') return { type: 'info', why: `defect: ${error.message}` }
    return { type: 'info', why: error instanceof Error ? error.message : String(error) }
  }
}

async function ask(client: Client, call: Call, report?: ReportBody): Promise<Answer> {
  switch (call.type) {
    case 'place':
      return select(client, call)
    case 'misuse':
    case 'again':
      return select(client, {
        ...call,
        type: 'place',
        instances: [call.instance],
        mode: 'RESERVE',
        ttlMs: 1_000,
        group: call.type === 'again' ? call.group : null,
        moveOf: null,
        minRevision: null,
      })
    case 'confirm':
    case 'extend':
    case 'release': {
      const ttl = call.type === 'extend' ? { ttl: durationOf(call.ttlMs) } : {}
      const { ends } = await client.request<{ ends: { __typename: string; fleetRevision?: string }[] }>(ENDS[call.type], {
        claims: call.claims,
        ...ttl,
      })
      return { type: 'ends', results: ends.map(toEnd) }
    }
    case 'abandon': {
      const { claimAbandon } = await client.request<{ claimAbandon: { fleetRevision?: string; claims?: { id: string }[] } }>(ABANDON, {
        key: call.key,
      })
      const { fleetRevision, claims } = claimAbandon
      return claims === undefined
        ? { type: 'invalid' }
        : { type: 'abandoned', claims: claims.map(({ id }) => id), revision: Number(fleetRevision) }
    }
    case 'status':
      await client.request(STATUS, { host: call.as ?? call.host, status: call.status })
      return { type: 'done' }
    case 'leave': {
      const names = { host: call.as, ...(call.how === 'replace' && { by: call.by }) }
      const { left } = await client.request<{ left: { __typename: string } }>(LEAVE[call.how], names)
      if (left.__typename === 'HostHasClaims') return { type: 'stays' }
      return { type: left.__typename.endsWith('Payload') ? 'done' : 'gone' }
    }
    case 'allocate': {
      const { as, resourceClass, ratio, reserved } = call
      const { set } = await client.request<{ set: { __typename: string } }>(ALLOCATE, { host: as, class: resourceClass, ratio, reserved })
      // A refusal means that the host left or was replaced meanwhile.
      return { type: set.__typename.endsWith('Payload') ? 'done' : 'gone' }
    }
    case 'aggregate': {
      const input = { setMetadata: [{ key: 'edited', value: String(call.ifVersion) }] }
      const { aggregateUpdate } = await client.request<{ aggregateUpdate: { aggregate?: { version: number } } }>(AGGREGATE, {
        uuid: call.uuid,
        ifVersion: call.ifVersion,
        input,
      })
      const version = aggregateUpdate.aggregate?.version
      return version === undefined ? { type: 'conflict' } : { type: 'edited', version }
    }
    case 'report': {
      if (report === undefined) throw new Error('a report needs its body')
      const { incarnation, sequence, stats } = report
      const update = { name: { host: call.as ?? call.host }, reporter: { incarnation, sequence }, report: { full: stats } }
      const { updateResourceStats } = await client.request<{ updateResourceStats: StatsAnswer }>(STATS, { input: { updates: [update] } })
      const rules = updateResourceStats.results.flatMap(({ issues = [] }) => issues.map(({ rule }) => rule))
      return { type: rules.some((rule) => rule.startsWith('report.host_')) ? 'gone' : rules.length > 0 ? 'invalid' : 'done' }
    }
    case 'read':
      await client.request(READ)
      return { type: 'done' }
  }
}

async function select(client: Client, call: Place): Promise<Answer> {
  const { selectDestinations: answer } = await client.request<{ selectDestinations: SelectAnswer }>(
    call.attempt?.type === 'alternate' ? ON_ALTERNATE : SELECT,
    { input: inputOf(call) },
  )
  switch (answer.__typename) {
    case 'SelectDestinationsPayload':
      return {
        type: 'placed',
        claims: claimsOf(answer),
        replayed: answer.replayed,
        revision: Number(answer.fleetRevision),
        decision: answer.decision.id,
      }
    case 'NoValidHost':
      return { type: 'refused' }
    case 'IdempotencyConflict':
      return { type: 'conflict' }
    case 'ReplicaBehind':
      return { type: 'behind' }
    case 'ClaimLost':
      return { type: 'lost' }
    case 'InstanceTaken':
      return { type: 'taken' }
    default:
      return { type: 'invalid', why: JSON.stringify(answer.issues ?? answer.message) }
  }
}

function inputOf({ key, amounts, instances, mode, ttlMs, group, moveOf, minRevision, attempt }: Place): Readonly<Record<string, unknown>> {
  const { VCPU: vcpus = 0, MEMORY_MB: memoryMb = 0, ...others } = amounts
  const classes = Object.entries(others)
    .filter(([name]) => !isPickedUnit(name))
    .map(([name, amount]) => ({ key: `resources:${name}`, value: String(amount) }))
  const ttl = mode === 'RESERVE' ? { ttl: durationOf(ttlMs) } : {}
  if (attempt?.type === 'alternate')
    return { idempotencyKey: key, decisionId: attempt.decision, host: { host: attempt.host }, instanceUuid: instances[0], mode, ...ttl }
  const as = { idempotencyKey: key, claim: { mode, ...ttl }, ...(minRevision === null ? {} : { minRevision: String(minRevision) }) }
  if (attempt?.type === 'retry')
    return { ...as, spec: { nova: novaRequest({ vcpus, memoryMb, classes, instance: instances[0] ?? null, group, tried: attempt.tried }) } }
  return {
    ...as,
    ...(moveOf === null ? {} : { intent: 'LIVE_MIGRATE', moveOf }),
    spec: {
      gantt: {
        flavor: { vcpus, memoryMb, extraSpecs: classes },
        ...requestFor(amounts),
        instanceUuids: instances,
        ...(group === null ? {} : { instanceGroup: group }),
      },
    },
  }
}

const claimsOf = ({ destinations }: SelectAnswer): PlacedClaim[] =>
  destinations.flatMap(({ instanceUuid, selected: { host, claim }, alternates }) =>
    claim === null
      ? []
      : [{ ...claim, host: firstNameOf(host.name), instance: instanceUuid, alternates: alternates.map((other) => other.host.name) }],
  )

const toEnd = ({ __typename, fleetRevision }: { __typename: string; fleetRevision?: string }): EndResult => ({
  end: __typename === 'ClaimPayload' ? 'done' : __typename === 'ClaimLost' ? 'lost' : 'unknown',
  revision: Number(fleetRevision ?? 0),
})

const durationOf = (ms: number): string => `PT${ms / 1_000}S`
