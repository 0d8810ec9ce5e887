import { allKinds } from '../kinds/index.ts'
import type { Grants, GroupBinding } from '../records/change.ts'
import type { Claim } from '../records/claim.ts'
import { aRequest, aUuid } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { Fleet } from './fleet.ts'

export const GROUPS: readonly GroupBinding[] = [
  { uuid: aUuid(0x61), policy: 'ANTI_AFFINITY', maxServerPerHost: 1 },
  { uuid: aUuid(0x62), policy: 'AFFINITY', maxServerPerHost: null },
  { uuid: aUuid(0x63), policy: 'ANTI_AFFINITY', maxServerPerHost: 2 },
  { uuid: aUuid(0x63), policy: 'SOFT_ANTI_AFFINITY', maxServerPerHost: null },
]

const REQUESTS = [
  aRequest({
    vcpus: 1,
    memoryMb: 1,
    numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 2, cpuPolicy: 'dedicated', cpuThreadPolicy: 'isolate', pageSize: 'large' }] },
    pciRequests: [{ count: 1, specs: [{ vendor_id: 'v' }] }],
  }),
  aRequest({
    vcpus: 1,
    memoryMb: 1,
    numaTopology: {
      cells: [{ id: 0, cpus: [0, 1], memoryMb: 1, cpuPolicy: 'mixed', dedicatedCpus: [0], pageSize: 'small' }],
      emulatorThreadsPolicy: 'isolate',
    },
  }),
  aRequest({ vcpus: 1, memoryMb: 1, pciRequests: [{ count: 2, specs: [{ product_id: 'p' }] }] }),
  aRequest({ vcpus: 1, memoryMb: 1 }),
  aRequest({ vcpus: 2, memoryMb: 3 }),
  aRequest({ flavor: { vcpus: 1, memoryMb: 1, extraSpecs: { 'resources:CUSTOM_X': '2' } } }),
  aRequest({ vcpus: 0, memoryMb: 2, gpus: { shareMilli: 400 } }),
  aRequest({ vcpus: 0, memoryMb: 2, gpus: { count: 2 } }),
  aRequest({ vcpus: 1, memoryMb: 1, numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 2 }] } }),
  aRequest({ vcpus: 1, memoryMb: 1, numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb: 1, cpuPolicy: 'dedicated' }] } }),
  aRequest({
    vcpus: 2,
    memoryMb: 1,
    numaTopology: {
      cells: [
        { id: 0, cpus: [0], memoryMb: 1 },
        { id: 1, cpus: [1], memoryMb: 2, cpuPolicy: 'dedicated' },
      ],
    },
  }),
]

/**
 * The grants that a request would get on the host at present. Undefined if the host does not have enough free resources. `choice` selects
 * the request.
 */
export function grantsOf(fleet: Fleet, host: HostIndex, choice: number): Grants | undefined {
  const request = REQUESTS[choice % REQUESTS.length] as (typeof REQUESTS)[number]
  const grants: Record<string, unknown> = {}
  for (const kind of allKinds) {
    const ask = kind.ask(request)
    if (ask === undefined) continue
    const grant = kind.createAssign({ rule: kind.rules[choice % kind.rules.length] as string, options: {} })(fleet.hosts, host, ask, grants)
    if (grant === undefined) return undefined
    grants[kind.name] = grant
  }
  return grants
}

/** The group of a claim, in the form in which a proposal to move the claim names it. */
export function groupOf(fleet: Fleet, { group }: Claim): GroupBinding | null {
  const bound = group === null ? undefined : fleet.groups.find(group)
  return bound === undefined ? null : { uuid: bound.uuid, policy: bound.policy, maxServerPerHost: bound.maxServerPerHost }
}
