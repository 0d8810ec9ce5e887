import type { HostTable } from '../../hosts/hosts.ts'
import { allKinds } from '../../kinds/index.ts'
import { numaAskOf } from '../../kinds/numa/ask.ts'
import { type LeftOver, namedAsLeft } from '../../kinds/numa/several.ts'
import { isOfOneGuest, lacksBesideDevices, whatCellsLack } from '../../kinds/numa/why.ts'
import type { Grants } from '../../records/grants.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import type { Reason } from '../../text/reason.ts'
import type { HostIndex } from '../../values/host-index.ts'

/**
 * Members of one kind that are to be placed on one host: the request of one member, how many members must be placed, and how many are
 * already placed on the host.
 */
export interface MembersOnHost {
  readonly request: RequestSpec
  readonly count: number
  readonly placed: number
}

/** The resource kinds whose units belong to NUMA cells or can be required near them. */
const inCells = allKinds.filter(({ name }) => name === 'numa' || name === 'gpu' || name === 'pci')

/**
 * The shortfalls of a host's cells, and of the devices near the cells, for several members. The function places members one after the other
 * until one does not fit. The members of the same kind that are left are compared with the cells that need the smallest increase for them.
 * The result is empty if all members fit. All placements are undone at the end.
 */
export function whatLacksNear(hosts: HostTable, host: HostIndex, members: readonly MembersOnHost[]): readonly Reason[] {
  const held: Grants[] = []
  const areSomePlaced = members.some(({ placed }) => placed > 0)
  try {
    return members.flatMap(({ request, count }) => {
      let left = count
      for (; left > 0; left--) {
        const grants = unitsFor(hosts, host, request)
        if (grants === undefined) break
        for (const kind of inCells) if (grants[kind.name] !== undefined) kind.hold(hosts, host, grants[kind.name], false)
        held.push(grants)
      }
      return left === 0 ? [] : lacksFor(hosts, host, request, { count: left, areMore: areSomePlaced || held.length > 0 })
    })
  } finally {
    for (const grants of held.reverse())
      for (const kind of inCells.toReversed()) if (grants[kind.name] !== undefined) kind.drop(hosts, host, grants[kind.name], false)
  }
}

/** The cells and devices that an instance would get on the host. Undefined if the host has too few of them. */
function unitsFor(hosts: HostTable, host: HostIndex, request: RequestSpec): Grants | undefined {
  let grants: Grants = {}
  for (const kind of inCells) {
    const ask = kind.ask(request)
    if (ask === undefined) continue
    const grant = kind.createAssign(undefined)(hosts, host, ask, grants)
    if (grant === undefined) return undefined
    grants = { ...grants, [kind.name]: grant }
  }
  return grants
}

/**
 * The shortfalls for the members that do not fit. Limits for a single guest are compared with one member, and free amounts with all members
 * that do not fit.
 */
function lacksFor(hosts: HostTable, host: HostIndex, request: RequestSpec, left: LeftOver): readonly Reason[] {
  const [one, all] = [numaAskOf(request), numaAskOf(timesOver(request, left.count))]
  if (one === undefined || all === undefined || hosts.get(host).cells.length < one.cells.length) return []
  const alone = lacksBesideDevices(hosts, host, one)?.lacks.filter(isOfOneGuest) ?? []
  const together = lacksBesideDevices(hosts, host, all)
  if (together === undefined) return whatCellsLack(hosts, host, one)
  const { lacks, short, cells } = together
  const where = `near ${cells.length === 1 ? 'cell' : 'cells'} ${cells.join(', ')} of the host`
  return [
    ...[...alone, ...lacks.filter((reason) => !isOfOneGuest(reason))].map((reason) => namedAsLeft(reason, left)),
    ...short.map((reason) => ({
      ...{ ...reason, subject: `${reason.subject} ${where}`, instances: left.count },
      ...(left.areMore && { areMore: true as const }),
    })),
  ]
}

/**
 * The request of a single guest that needs as many resources as `count` guests together. The result has the cells of one guest, each
 * enlarged by the factor `count`.
 */
function timesOver(request: RequestSpec, count: number): RequestSpec {
  const { numaTopology, gpus, pciRequests } = request
  const many = (cpus: readonly number[]): number[] => Array.from({ length: count }, (_, i) => cpus.map((cpu) => cpu * count + i)).flat()
  return {
    ...request,
    numaTopology: numaTopology && {
      ...numaTopology,
      cells: numaTopology.cells.map(({ cpus, dedicatedCpus, memoryMb, ...cell }) => ({
        ...cell,
        ...{ cpus: many(cpus), dedicatedCpus: many(dedicatedCpus), memoryMb: memoryMb * count },
      })),
    },
    gpus: gpus && { ...gpus, count: gpus.count * count },
    pciRequests: pciRequests.map((wish) => ({ ...wish, count: wish.count * count })),
  }
}
