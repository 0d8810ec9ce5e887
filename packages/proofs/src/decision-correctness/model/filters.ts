import type { RequestSpec } from '@gantt/scheduler-core'
import { cellsOf } from './cells.ts'
import { demandOf } from './demand.ts'
import { compares, meets } from './extra-specs.ts'
import {
  aggregatesOf,
  boundGroup,
  brokenUnits,
  free,
  holds,
  type Inventory,
  inventoryOf,
  isMoreThanAll,
  membersOn,
  plainMemoryOf,
  zoneOf,
} from './fleet.ts'
import { gpusOf, whyNoGpus } from './gpu.ts'
import { assignCells, guestCellsOf, whyNoAssignment } from './numa.ts'
import type { Refusal } from './refusal.ts'
import type { ModelFleet, ModelHost } from './state.ts'

/** A filter that is prepared for one request. Returns why it refuses a host; undefined if the host passes. */
export type Ask = (host: ModelHost) => Refusal | undefined

/** Prepares a filter for a request. Undefined if the filter does not apply to the request. */
type ModelFilter = (request: RequestSpec, fleet: ModelFleet) => Ask | undefined

/** The filters of this service by their names in profiles, and `Candidates`, which runs before all others. */
export const filters: Readonly<Record<string, ModelFilter>> = {
  Candidates: ({ ignoreHosts, forceHosts, forceNodes, requestedDestination: destination, requestedResources }, fleet) => {
    const forbidden = destination?.forbiddenAggregates ?? []
    const isPlace = ({ host, node }: ModelHost): boolean =>
      (!destination?.host || host === destination.host) && (!destination?.node || node === destination.node)
    const isIn = (host: ModelHost, uuids: readonly string[]): boolean => aggregatesOf(fleet, host).some(({ uuid }) => uuids.includes(uuid))
    type Only = { readonly code: string; readonly allows: (host: ModelHost) => boolean }
    const names: Only[] = [
      ...(forceHosts.length > 0 ? [{ code: 'host.not_requested', allows: ({ host }: ModelHost) => forceHosts.includes(host) }] : []),
      ...(forceNodes.length > 0 ? [{ code: 'host.not_requested', allows: ({ node }: ModelHost) => forceNodes.includes(node) }] : []),
      ...(destination?.host || destination?.node ? [{ code: 'host.not_requested', allows: isPlace }] : []),
    ]
    const aggregates: Only[] = [destination?.aggregates ?? [], ...requestedResources.map(({ memberOf }) => memberOf)]
      .filter(({ length }) => length > 0)
      .map((uuids) => ({ code: 'aggregate.not_member', allows: (host) => isIn(host, uuids) }))
    const all = [...names, ...aggregates]
    if (ignoreHosts.length + forbidden.length + all.length === 0) return undefined
    const isNoneCommon = all.length > 1 && !fleet.hosts.some((host) => !host.isGone && all.every(({ allows }) => allows(host)))
    const refusalBy = (onlys: readonly Only[], host: ModelHost): Refusal | undefined => {
      const refusing = onlys.find(({ allows }) => !allows(host))
      return refusing && { code: isNoneCommon ? 'host.none_common' : refusing.code }
    }
    return (host) => {
      if (ignoreHosts.includes(host.host)) return { code: 'host.excluded' }
      const unnamed = refusalBy(names, host)
      if (unnamed !== undefined) return unnamed
      if (isIn(host, forbidden)) return { code: 'host.excluded' }
      return refusalBy(aggregates, host)
    }
  },

  ComputeFilter: () => (host) => {
    if (host.status !== 'ENABLED') return { code: 'host.disabled', need: 'ENABLED', have: host.status }
    return host.liveness === 'DOWN' ? { code: 'host.down', have: 'DOWN' } : undefined
  },

  AvailabilityZoneFilter: ({ availabilityZone: need }, fleet) =>
    need === null
      ? undefined
      : (host) => {
          const have = zoneOf(fleet, host)
          return have === need ? undefined : { code: 'zone.other', need, have }
        },

  RamFilter: (request, fleet) => shortOf('memory', 'MEMORY_MB', request, fleet),

  CoreFilter: (request, fleet) => {
    const need = demandOf(request).amounts.VCPU
    if (need === undefined) return undefined
    return (host) => {
      const inventory = inventoryOf(host, 'VCPU')
      if (inventory === undefined) return { code: 'cpu.too_few', need, have: 0 }
      if (inventory.total < need) return { code: 'cpu.too_few', need, have: inventory.inAll }
      return amountOf(inventory, need, free(fleet, host, 'VCPU'), 'cpu.short', 'cpu.too_few')
    }
  },

  DiskFilter: (request, fleet) => shortOf('disk', 'DISK_GB', request, fleet),

  AggregateInstanceExtraSpecsFilter: ({ flavor }, fleet) => {
    const scope = 'aggregate_instance_extra_specs:'
    const wanted = Object.entries(flavor.extraSpecs)
      .filter(([key]) => key.startsWith(scope) || !key.includes(':'))
      .map(([key, need]) => ({ key: key.replace(scope, ''), need }))
    if (wanted.length === 0) return undefined
    return (host) => {
      for (const { key, need } of wanted) {
        const texts = aggregatesOf(fleet, host).flatMap(({ metadata }) =>
          Object.keys(metadata).includes(key) ? [metadata[key] ?? ''] : [],
        )
        const values = texts.flatMap((text) => text.split(',')).map((value) => value.trim())
        if (!values.some((value) => meets(value, need))) return { code: 'aggregate.extra_spec', need, have: values.join(', ') || 'nothing' }
      }
      return undefined
    }
  },

  ImagePropertiesFilter: ({ image }) => {
    if (image === null) return undefined
    const { properties } = image
    const asked = [
      usualName('arch', properties.hw_architecture ?? properties.architecture ?? image.architecture),
      usualName('hvType', properties.img_hv_type ?? properties.hypervisor_type),
      usualName('vmMode', properties.hw_vm_mode ?? properties.vm_mode),
    ].filter((value) => value !== '')
    if (asked.length === 0) return undefined
    const version = properties.img_hv_requested_version ?? properties.hypervisor_version_requires
    return ({ stats: { supportedInstances, hypervisorVersion } }) => {
      const isSupported = supportedInstances.some(({ arch, hvType, vmMode }) => {
        const names = [usualName('arch', arch), usualName('hvType', hvType), usualName('vmMode', vmMode)]
        return asked.every((value) => names.includes(value))
      })
      if (!isSupported) return { code: 'image.unsupported', need: asked.join(', ') }
      if (version === undefined || hypervisorVersion === null || hypervisorVersion === 0) return undefined
      return isVersion(hypervisorVersion, version) ? undefined : { code: 'image.unsupported', need: version, have: hypervisorVersion }
    }
  },

  DifferentHostFilter: ({ schedulerHints }, fleet) => {
    const apart = (schedulerHints.different_host ?? []).map((uuid) => uuid.toLowerCase())
    if (apart.length === 0) return undefined
    return (host) => {
      const have = apart.find((uuid) => holds(fleet, host, uuid))
      return have === undefined ? undefined : { code: 'instance.same_host', have }
    }
  },

  SameHostFilter: ({ schedulerHints }, fleet) => {
    const together = (schedulerHints.same_host ?? []).map((uuid) => uuid.toLowerCase())
    if (together.length === 0) return undefined
    return (host) =>
      together.some((uuid) => holds(fleet, host, uuid))
        ? undefined
        : { code: 'instance.not_on_host', need: together.slice(0, 5).join(', ') }
  },

  TraitsFilter: (request) => {
    const { required, forbidden } = demandOf(request)
    if (required.length === 0 && forbidden.length === 0) return undefined
    return ({ stats: { traits } }) => {
      const missing = required.find((trait) => !traits.includes(trait))
      if (missing !== undefined) return { code: 'trait.missing', need: missing }
      const unwanted = forbidden.find((trait) => traits.includes(trait))
      return unwanted === undefined ? undefined : { code: 'trait.forbidden', have: unwanted }
    }
  },

  ServerGroupAffinityFilter: ({ instanceGroup: group }, fleet) => {
    if (group?.policy !== 'AFFINITY') return undefined
    return (host) => {
      const isElsewhere = group.hosts.length > 0 && !group.hosts.includes(host.host)
      return isElsewhere || !boundRuleAllows(fleet, host, group.uuid) ? { code: 'group.affinity' } : undefined
    }
  },

  ServerGroupAntiAffinityFilter: ({ instanceGroup: group }, fleet) => {
    if (group?.policy !== 'ANTI_AFFINITY') return undefined
    const most = group.maxServerPerHost ?? 1
    return (host) => {
      const named = group.hosts.filter((name) => name === host.host).length
      const have = Math.max(membersOn(fleet, host, group.uuid), named)
      const isAllowed = have < most && boundRuleAllows(fleet, host, group.uuid)
      if (isAllowed) return undefined
      const bound = boundGroup(fleet, group.uuid)
      const need =
        have >= most || bound?.policy === undefined
          ? `fewer than ${most}`
          : bound.policy === 'AFFINITY'
            ? 'no more (the group is bound to AFFINITY, and lives elsewhere)'
            : `fewer than ${bound.most ?? 1}`
      return { code: 'group.anti_affinity', need, have }
    }
  },

  ResourceClassFilter: (request, fleet) => {
    const asked = Object.entries(demandOf(request).amounts)
    if (asked.length === 0) return undefined
    return (host) => {
      for (const [resourceClass, need] of asked) {
        const inventory = inventoryOf(host, resourceClass)
        if (inventory === undefined) return { code: 'class.not_reported', need, have: 0 }
        const [short, tooLittle] = ofClass[resourceClass] ?? ['class.short', 'class.too_little']
        if (isMoreThanAll(inventory, need)) return { code: tooLittle, need, have: inventory.inAll }
        const units = brokenUnits(inventory, need)
        if (units !== undefined) return { code: 'class.unit', need, have: units }
        const have = free(fleet, host, resourceClass)
        if (have < need) return { code: short, need, have }
        // No request of the model demands huge pages, so a request needs all of its memory outside of huge pages.
        const plain = resourceClass === 'MEMORY_MB' && need > 0 ? plainMemoryOf(fleet, host) : undefined
        if (plain !== undefined && plain < need) return { code: 'memory.huge_pages', need, have: plain }
      }
      return undefined
    }
  },

  NUMATopologyFilter: (request, fleet) => {
    const guests = guestCellsOf(request)
    if (guests.length === 0) return undefined
    return (host) => {
      const cells = cellsOf(fleet, host)
      return assignCells(guests, cells, 'first') === undefined ? whyNoAssignment(guests, cells) : undefined
    }
  },

  GpuFilter: ({ gpus: asked }, fleet) => (asked === null ? undefined : (host) => whyNoGpus(gpusOf(fleet, host), asked)),

  // No request of the model needs PCI devices, so this filter never runs.
  PciPassthroughFilter: () => undefined,

  // No host of the model has its disk in a pool, so this filter never runs.
  DiskPoolFilter: () => undefined,
}

/** Filters that every claim must pass. If a profile does not list one of them, it runs after the filters of the profile. */
export const nets = [
  'ServerGroupAffinityFilter',
  'ServerGroupAntiAffinityFilter',
  'ResourceClassFilter',
  'NUMATopologyFilter',
  'GpuFilter',
  'PciPassthroughFilter',
  'DiskPoolFilter',
]

function shortOf(what: string, resourceClass: string, request: RequestSpec, fleet: ModelFleet): Ask | undefined {
  const need = demandOf(request).amounts[resourceClass]
  if (need === undefined) return undefined
  return (host) => {
    const inventory = inventoryOf(host, resourceClass)
    const have = free(fleet, host, resourceClass)
    if (inventory === undefined) return have < need ? { code: `${what}.short`, need, have } : undefined
    return amountOf(inventory, need, have, `${what}.short`, `${what}.too_little`)
  }
}

/**
 * Why a filter for one resource class refuses a host: the needed amount is not free, exceeds the total, or breaks the unit rules of the
 * class. A reason that cannot change when other instances end takes precedence over a lack of free resources.
 */
function amountOf(inventory: Inventory, need: number, have: number, short: string, tooLittle: string): ReturnType<Ask> {
  const { most, inAll } = inventory
  const isBeyond = need > inAll && (most === null || most === inAll)
  if (have >= need && !isBeyond) return undefined
  if (isMoreThanAll(inventory, need)) return { code: tooLittle, need, have: inAll }
  const units = brokenUnits(inventory, need)
  return units === undefined ? { code: short, need, have } : { code: 'class.unit', need, have: units }
}

/** Whether one more member may be on the host, according to the policy that the group's first claim set. */
function boundRuleAllows(fleet: ModelFleet, host: ModelHost, uuid: string): boolean {
  const group = boundGroup(fleet, uuid)
  if (group?.policy === 'ANTI_AFFINITY') return membersOn(fleet, host, uuid) < (group.most ?? 1)
  if (group?.policy === 'AFFINITY') return fleet.claims.filter((claim) => claim.group?.uuid === uuid).every((claim) => claim.host === host)
  return true
}

/** Whether a reported version (7002000 is 7.2.0, 2012 is 2.12) meets every part of a predicate such as `>=6.0,<8.0`. */
function isVersion(reported: number, predicate: string): boolean {
  const found =
    reported >= 1_000_000
      ? [Math.floor(reported / 1_000_000), Math.floor(reported / 1_000) % 1_000, reported % 1_000]
      : [Math.floor(reported / 1_000), reported % 1_000, 0]
  return predicate.split(',').every((clause) => {
    const [, operator = '', major, minor, patch] = /^ *(<=|>=|==|!=|<|>) *(\d+)\.(\d+)(?:\.(\d+))? *$/.exec(clause) ?? []
    if (operator === '') return false
    const wanted = [Number(major), Number(minor), Number(patch ?? 0)]
    const at = found.findIndex((part, i) => part !== wanted[i])
    return at < 0 ? compares(operator, 0, 0) : compares(operator, found[at] ?? 0, wanted[at] ?? 0)
  })
}

/** The aliases of architectures, hypervisor types and VM modes that random hosts and images use. */
const otherWords = { arch: { amd64: 'x86_64' }, hvType: { xapi: 'xen' }, vmMode: { hv: 'hvm', pv: 'xen' } } as const

function usualName(kind: keyof typeof otherWords, name: string | null | undefined): string {
  const lower = (name ?? '').toLowerCase()
  const words: Readonly<Record<string, string>> = otherWords[kind]
  return words[lower] ?? lower
}

/** Reason codes for the classes that every host has. The first is used if too little is free, the second if the total is too small. */
const ofClass: Readonly<Record<string, readonly [string, string]>> = {
  VCPU: ['cpu.short', 'cpu.too_few'],
  MEMORY_MB: ['memory.short', 'memory.too_little'],
  DISK_GB: ['disk.short', 'disk.too_little'],
}
