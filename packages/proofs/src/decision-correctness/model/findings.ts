import { hiddenInCells } from './cells.ts'
import { capacity, capacityOf, claimsOn, hugeUsedIn, inventoryOf, isCounted } from './fleet.ts'
import { hiddenOnGpus } from './gpu.ts'
import type { ModelClaim, ModelFleet, ModelHost } from './state.ts'

/** All findings about hosts that the auditor must report, each as code, host and details, in any order. */
export function findingsOf(fleet: ModelFleet): string[][] {
  const there = fleet.hosts.filter(({ isGone }) => !isGone)
  const instances = new Set([...fleet.claims.flatMap(({ instance }) => instance ?? []), ...there.flatMap(({ present }) => present)])
  return [
    ...there.flatMap((host) => [
      ...hasTooLittle(fleet, host),
      ...usesTooLittle(fleet, host),
      ...usesMorePagesThanMemory(host),
      ...listsNothing(fleet, host),
      ...unclaimedOn(fleet, host),
    ]),
    ...[...instances].flatMap((instance) => listings(fleet, instance, there)),
  ]
}

/** The findings about a host whose total is less than its claims hold. */
function hasTooLittle(fleet: ModelFleet, host: ModelHost): string[][] {
  const takes = logged(claimsOn(fleet, host)).map((claim) => claim.takes)
  const add = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0)
  const parts = takes.flatMap(({ numa = [] }) => numa)
  const { numaCells, gpus, cpuAllocationRatio, ramAllocationRatio } = host.stats
  const classes = [...new Set(takes.flatMap((one) => Object.keys(one.classes ?? {})))]
  const sorts = [
    ...classes.map((name) => [add(takes.map((one) => one.classes?.[name] ?? 0)), capacity(host, name)] as const),
    [add(takes.flatMap(({ gpu = [] }) => gpu.map(({ milli }) => milli))), 1_000 * gpus.length],
    [add(parts.map(({ cpus }) => cpus)), add(numaCells.map(({ cpuset }) => capacityOf(cpuset.length, cpuAllocationRatio)))],
    [add(parts.map(({ memoryMb }) => memoryMb)), add(numaCells.map(({ memoryMb }) => capacityOf(memoryMb, ramAllocationRatio)))],
    [
      add(parts.map(({ pinned = [] }) => pinned.length)),
      add(numaCells.map(({ cpuset, dedicatedCpuset }) => (dedicatedCpuset ?? cpuset).length)),
    ],
  ] as const
  return sorts.flatMap(([held, most]) => (held > most ? [['capacity.below_claims', nameOf(host), `at least ${held}, not ${most}`]] : []))
}

/** The findings about a report whose used amount is less than what the claims of its listed instances hold. */
function usesTooLittle(fleet: ModelFleet, host: ModelHost): string[][] {
  const shown = logged(claimsOn(fleet, host)).filter(isCounted)
  const classes = new Set(shown.flatMap(({ takes }) => Object.keys(takes.classes ?? {})))
  const inClasses = [...classes].flatMap((resourceClass) => {
    const used = inventoryOf(host, resourceClass)?.used ?? null
    const held = shown.reduce((sum, { takes }) => sum + (takes.classes?.[resourceClass] ?? 0), 0)
    return used !== null && held > used ? [`at least ${held}, not ${used}`] : []
  })
  const claims = logged(claimsOn(fleet, host))
  const others = [...hiddenOnGpus(host, claims), ...hiddenInCells(host, claims)]
  return [...inClasses, ...others].map((text) => ['use.below_claims', nameOf(host), text])
}

/** The findings about a report with more used huge pages than used memory, for the whole host or for a cell that reports its use. */
function usesMorePagesThanMemory(host: ModelHost): string[][] {
  const { numaCells, inventories, memoryMbUsed } = host.reported
  // The reported value is compared as it is, including the reserved memory that Nova adds to it.
  const used = inventories.find(({ resourceClass }) => resourceClass === 'MEMORY_MB')?.used ?? memoryMbUsed
  const pages = numaCells.reduce((mib, cell) => mib + hugeUsedIn(cell), 0)
  const pairs = [[pages, used] as const, ...numaCells.map((cell) => [hugeUsedIn(cell), cell.memoryUsageMb] as const)]
  return pairs.flatMap(([huge, memory]) =>
    memory !== null && huge > memory ? [['use.beyond_memory', nameOf(host), `at least ${huge}, not ${memory}`]] : [],
  )
}

function listsNothing(fleet: ModelFleet, host: ModelHost): string[][] {
  const held = logged(claimsOn(fleet, host)).length
  return host.stats.instances === null && held > 0 ? [['use.no_instances', nameOf(host), `at least ${held}, not not listed`]] : []
}

const logged = (claims: readonly ModelClaim[]): ModelClaim[] => claims.filter(({ isLogged, isOver }) => isLogged && isOver !== true)

const isClaimed = (fleet: ModelFleet, instance: string): boolean => logged(fleet.claims).some((claim) => claim.instance === instance)

function unclaimedOn(fleet: ModelFleet, host: ModelHost): string[][] {
  if (host.stats.instances === null) return []
  const found = host.present.filter((instance) => !isClaimed(fleet, instance))
  const more = found.length > 3 ? ` and ${found.length - 3} more` : ''
  const text = `a claim for each, not ${found.length} without: ${found.slice(0, 3).join(', ')}${more}`
  return found.length > 0 ? [['instance.unclaimed', nameOf(host), text]] : []
}

/**
 * The findings about an instance that several hosts list, or that is not listed by the host of its claim. In the lists of hosts, a host
 * with a claim for the instance is first.
 */
function listings(fleet: ModelFleet, instance: string, there: readonly ModelHost[]): string[][] {
  const claims = logged(fleet.claims).filter((claim) => claim.instance === instance)
  const listing = there.filter(({ stats, present }) => stats.instances !== null && present.includes(instance))
  const ordered = [...new Set([...claims.flatMap(({ host }) => listing.filter((other) => other === host)), ...listing])]
  const more = ordered.length > 10 ? ` and ${ordered.length - 10} more` : ''
  const names = `${ordered.slice(0, 10).map(nameOf).join(', ')}${more}`
  const twice = ordered.slice(1, 2).map((host) => ['instance.two_hosts', nameOf(host), `one, not ${names}`])
  const missing = claims.filter(({ host }) => !listing.includes(host))
  return [
    ...twice,
    ...missing.flatMap(({ host }) => {
      if (ordered.length > 0) return [['instance.other_host', nameOf(host), `${nameOf(host)}, not ${names}`]]
      return host.stats.instances === null ? [] : [['instance.unlisted', nameOf(host), `${nameOf(host)}, not none`]]
    }),
  ]
}

/** The name of a host in findings: `host`, or `host/node` if the node has a different name. */
export const nameOf = ({ host, node }: Pick<ModelHost, 'host' | 'node'>): string => (host === node ? host : `${host}/${node}`)
