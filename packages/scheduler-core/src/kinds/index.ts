import type { HostTable } from '../hosts/hosts.ts'
import type { Amounts, Grants, KindName } from '../records/grants.ts'
import { demandOf, type RequestSpec } from '../request/request-spec.ts'
import type { HostIndex } from '../values/host-index.ts'
import { OWN_UNITS } from '../values/levels.ts'
import { classesKind } from './classes/classes.ts'
import { gpuKind } from './gpu/gpu.ts'
import type { ResourceKind } from './kind.ts'
import { ownUnits } from './mover.ts'
import { numaKind } from './numa/numa.ts'
import { pciKind } from './pci/pci.ts'
import { poolsKind } from './pools/pools.ts'

export { heldByMover, keptByMover, ownUnits } from './mover.ts'

/** The operations of a resource kind on grants. A kind gets the grants that a claim has under the kind's name. */
type Holds<Grant> = Pick<ResourceKind<unknown, Grant>, 'fits' | 'hold' | 'drop'>

/**
 * All resource kinds by name. The kinds choose grants in this order. A kind that is added here gets its grants in claims, its assignment
 * settings in profiles, and its fit filter.
 */
export const kinds = { classes: classesKind, numa: numaKind, gpu: gpuKind, pci: pciKind, pools: poolsKind } as const satisfies {
  readonly [Name in KindName]: Holds<NonNullable<Grants[Name]>>
}

/** All resource kinds as a list. An ask or a grant must be passed only to the kind that created it. */
export const allKinds = Object.values(kinds) as readonly (ResourceKind<unknown, unknown> & { readonly name: KindName })[]

/**
 * True if a request asks for a resource that hosts share, such as space in a disk pool. A claim on one host then reduces what is free on
 * other hosts.
 */
export const asksShared = (request: RequestSpec, hosts: HostTable): boolean =>
  allKinds.some((kind) => kind.isShared === true && kind.isThere?.(hosts) !== false && kind.ask(request) !== undefined)

/** True if a request asks only for amounts, and not for units such as NUMA cells, GPUs or PCI devices. */
export const asksPlain = (request: RequestSpec): boolean =>
  allKinds.every((kind) => kind.isPlain === true || kind.ask(request) === undefined)

/** True if grants contain only amounts, and no units such as NUMA cells, GPUs or PCI devices. */
export const isPlain = (grants: Grants): boolean => allKinds.every((kind) => kind.isPlain === true || grants[kind.name] === undefined)

/**
 * True if `others` contain `grants`: no amount in `grants` is larger than in `others`, and all units in `grants` are among the units in
 * `others`.
 */
export const isPart = (grants: Grants, others: Grants): boolean =>
  allKinds.every((kind) => {
    const [grant, other] = [grants[kind.name], others[kind.name]]
    if (grant === undefined) return true
    if (kind.isPlain === true) return isNoMore(grant as Amounts, other as Amounts | undefined)
    return other !== undefined && kind.isPartOf?.(grant, other) === true
  })

const isNoMore = (amounts: Amounts, others: Amounts = {}): boolean =>
  Object.entries(amounts).every(([name, amount]) => amount <= (others[name] ?? 0))

/**
 * True if an instance that gets new grants on its own host needs only the difference from the grants that it already holds. This is the
 * case if all units in the new grants, such as GPUs, are among the held units, and the held memory outside of huge pages is enough
 * (`leavesNoPages`). Amounts can be larger. Below feature level OWN_UNITS, this is the case only if neither the held nor the new grants
 * contain units. If the result is false, the instance holds the old and the new grants at the same time.
 */
export const takesDifference = ({ featureLevel }: HostTable, held: Grants, next: Grants): boolean =>
  featureLevel < OWN_UNITS
    ? isPlain(held) && isPlain(next)
    : leavesNoPages(held, next) &&
      allKinds.every((kind) => {
        const [own, grant] = [held[kind.name], next[kind.name]]
        return kind.isPlain === true || grant === undefined || (own !== undefined && kind.isPartOf?.(grant, own) === true)
      })

/**
 * True if enough memory outside of huge pages is held for the instance during and after a resize on its host. During the resize, the larger
 * of the old and the new memory amount is held, together with all pages that the instance held before. The part of this amount outside of
 * these pages must be at least the memory that the instance has outside of pages after the resize.
 */
function leavesNoPages(held: Grants, next: Grants): boolean {
  const [own, wanted] = [held.classes?.MEMORY_MB ?? 0, next.classes?.MEMORY_MB ?? 0]
  return wanted - inPages(next) <= Math.max(own, wanted) - inPages(held)
}

const inPages = ({ numa = [] }: Grants): number => numa.reduce((sum, { pages, memoryMb }) => sum + (pages === undefined ? 0 : memoryMb), 0)

/**
 * Like `takesDifference`, but for a request before its grants are chosen. The caller must have set `hosts.mover` so that the grants of the
 * instance count as free on the host.
 */
export function asksDifference(hosts: HostTable, host: HostIndex, held: Grants, request: RequestSpec): boolean {
  if (isPlain(held) && asksPlain(request)) return true
  if (hosts.featureLevel < OWN_UNITS) return false
  let kept: Grants = {}
  for (const kind of allKinds) {
    const ask = kind.isPlain === true ? undefined : kind.ask(request)
    if (ask === undefined) continue
    const grant = ownUnits(kind, hosts, host, ask, kept)
    if (grant === undefined) return false
    kept = { ...kept, [kind.name]: grant }
  }
  return leavesNoPages(held, { ...kept, classes: demandOf(request).amounts })
}
