import { aUuid } from '@gantt/cli/for-proofs'
import type { Random } from '@gantt/scheduler-core'
import { oneOf } from '../random-calls/choose.ts'

/** The kinds of calls that are measured. `noop` asks for nothing, so it costs the least that a call can cost. */
export const callKinds = ['select', 'claim', 'release', 'report', 'heartbeat', 'noop'] as const
export type CallKind = (typeof callKinds)[number]

/** The kinds of work that callers choose among, each with its share in percent. */
export const workKinds = ['select', 'claim', 'release', 'report', 'heartbeat'] as const
export type WorkKind = (typeof workKinds)[number]
export type Mix = Readonly<Record<WorkKind, number>>

/** A claim that a caller got and has not released. */
export interface HeldClaim {
  readonly id: string
  readonly fence: number
}

/** A call as it is sent. */
export interface Sent {
  readonly kind: CallKind
  readonly document: string
  readonly variables: Readonly<Record<string, unknown>>
}

const SELECT = `mutation Select($input: SelectDestinationsInput!) { selectDestinations(input: $input) { __typename
  ... on SelectDestinationsPayload { decision { id } destinations { selected { host { name node } claim { id fence } } } }
  ... on UserError { message } } }`
const CLAIM = `mutation Claim($input: ClaimCreateInput!) { claimCreate(input: $input) { __typename
  ... on SelectDestinationsPayload { decision { id } destinations { selected { host { name node } claim { id fence } } } }
  ... on UserError { message } } }`
const RELEASE = `mutation Release($claims: [ClaimRef!]!) { claimRelease(claims: $claims) { __typename ... on UserError { message } } }`
const REPORT = `mutation Report($input: UpdateResourceStatsInput!) { updateResourceStats(input: $input) {
  results { __typename ... on ResourceStatsApplied { unchanged } ... on UserError { message } } } }`

/** A mutation that does nothing, which a plain server can answer too. */
export const NOOP: Sent = { kind: 'noop', document: 'mutation { __typename }', variables: {} }

/** What each host has. Instances have 1 to 4 VCPUs, so that a host takes about 50 of them. */
const HOST = { vcpus: 128, memoryMb: 524_288, localGb: 4_096 } as const
const FLAVORS = [1, 1, 2, 4].map((vcpus) => ({ name: `load.${vcpus}`, vcpus, memoryMb: 4_096 * vcpus, rootGb: 20 }))
const INCARNATION = '00000000-0000-4000-8000-0000000000f1'

export const hostName = (index: number): string => `load-${index}`

/** A full report of a host. The amount of disk changes with `content`, which by default makes each report change the host. */
export const reportOf = (index: number, sequence: number, content: number = sequence) => ({
  name: { host: hostName(index) },
  reporter: { incarnation: INCARNATION, sequence },
  report: {
    full: {
      ...{
        vcpus: HOST.vcpus,
        vcpusUsed: 0,
        memoryMb: HOST.memoryMb,
        memoryMbUsed: 0,
        localGb: HOST.localGb + (content % 8),
        localGbUsed: 0,
      },
      ...{ cpuAllocationRatio: 1, ramAllocationRatio: 1, diskAllocationRatio: 1 },
      ...{ hypervisorType: 'QEMU', hypervisorVersion: 7_002_000, hypervisorHostname: hostName(index) },
    },
  },
})

/** A call that reports these hosts. A heartbeat is a report that changes nothing. */
export const reportCall = (updates: readonly ReturnType<typeof reportOf>[], kind: 'report' | 'heartbeat' = 'report'): Sent => ({
  kind,
  document: REPORT,
  variables: { input: { updates } },
})

/** A request for one instance. With `isClaimed`, its resources are claimed in the same call. */
export const selectCall = (random: Random, key: string, isClaimed: boolean): Sent => ({
  kind: 'select',
  document: SELECT,
  variables: {
    input: {
      idempotencyKey: key,
      claim: { mode: isClaimed ? 'CONFIRM' : 'NONE' },
      spec: {
        gantt: { flavor: oneOf(random, FLAVORS), projectId: `project-${random.below(7)}`, instanceUuids: [aUuid(random)] },
      },
    },
  },
})

/** A claim on the host that an earlier call chose. */
export const claimCall = (key: string, { decisionId, host }: Chosen): Sent => ({
  kind: 'claim',
  document: CLAIM,
  variables: { input: { idempotencyKey: key, decisionId, host, mode: 'CONFIRM' } },
})

export const releaseCall = (claim: HeldClaim): Sent => ({ kind: 'release', document: RELEASE, variables: { claims: [claim] } })

/** Draws what a caller does next, by the shares of the mix. */
export function drawWork(random: Random, mix: Mix): WorkKind {
  const drawn = random.below(workKinds.reduce((sum, kind) => sum + mix[kind], 0))
  let sum = 0
  for (const kind of workKinds) {
    sum += mix[kind]
    if (drawn < sum) return kind
  }
  return 'select'
}

/** A host that was chosen for a request without a claim. */
export interface Chosen {
  readonly decisionId: string
  readonly host: { readonly host: string; readonly node: string }
}

/** What an answer says. */
export interface Read {
  /** The name of the answer's type, such as NoValidHost. */
  readonly type: string
  readonly claim?: HeldClaim
  readonly chosen?: Chosen
  /** Why the call failed. Absent for answers that a correct service can give, which includes NoValidHost. */
  readonly failure?: string
}

interface Placed {
  readonly __typename: string
  readonly message?: string
  readonly unchanged?: boolean
  readonly decision?: { readonly id: string }
  readonly destinations?: readonly {
    readonly selected: { readonly host: { readonly name: string; readonly node: string }; readonly claim: HeldClaim | null }
  }[]
}

const GOOD: ReadonlySet<string> = new Set(['SelectDestinationsPayload', 'NoValidHost', 'ClaimPayload', 'ResourceStatsApplied', 'Mutation'])

/** Reads the answer to a call. */
export function readAnswer(kind: CallKind, status: number, text: string): Read {
  const failed = (type: string, why: string): Read => ({ type, failure: why.slice(0, 300) })
  let answer: { readonly data?: Readonly<Record<string, unknown>> | null; readonly errors?: unknown }
  try {
    answer = JSON.parse(text) as typeof answer
  } catch {
    return failed('none', `expected JSON, found status ${status}: ${text}`)
  }
  if (answer.errors !== undefined || !answer.data) return failed('fault', `status ${status}: ${text}`)
  const [value] = Object.values(answer.data)
  if (kind === 'noop') return { type: String(value) }
  const isReport = kind === 'report' || kind === 'heartbeat'
  const found = isReport ? (value as { readonly results: readonly Placed[] }).results : value
  // a call can report many hosts, and fails if one of its reports fails
  const placed = (Array.isArray(found) ? (found.find(({ __typename }) => !GOOD.has(__typename)) ?? found[0]) : found) as Placed
  if (!GOOD.has(placed.__typename)) return failed(placed.__typename, `${placed.__typename}: ${placed.message ?? ''}`)
  if (isReport && (found as readonly Placed[]).some(({ unchanged }) => unchanged !== (kind === 'heartbeat')))
    return failed(placed.__typename, `expected ${kind === 'heartbeat' ? 'no report' : 'each report'} to change its host: ${text}`)
  const selected = placed.destinations?.[0]?.selected
  return {
    type: placed.__typename,
    ...(selected?.claim ? { claim: { id: selected.claim.id, fence: selected.claim.fence } } : {}),
    ...(selected !== undefined && placed.decision !== undefined
      ? { chosen: { decisionId: placed.decision.id, host: { host: selected.host.name, node: selected.host.node } } }
      : {}),
  }
}
