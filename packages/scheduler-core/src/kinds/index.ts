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

/** The operations of a kind on grants. Each kind gets the grants under its name in a claim. */
type Holds<Grant> = Pick<ResourceKind<unknown, Grant>, 'fits' | 'hold' | 'drop'>

/**
 * Every resource kind by name, in the order in which the kinds choose. Grants, assignment settings and the fit filter of a kind are
 * derived from its entry here.
 */
export const kinds = { classes: classesKind, numa: numaKind, gpu: gpuKind, pci: pciKind, pools: poolsKind } as const satisfies {
  readonly [Name in KindName]: Holds<NonNullable<Grants[Name]>>
}

/** The same kinds as a list, for code that treats all kinds alike. An ask or a grant must be passed only to the kind that created it. */
export const allKinds = Object.values(kinds) as readonly (ResourceKind<unknown, unknown> & { readonly name: KindName })[]

/** Whether a request asks for a resource that several hosts share, so that taking it on one host reduces it on the others. */
export const asksShared = (request: RequestSpec, hosts: HostTable): boolean =>
  allKinds.some((kind) => kind.isShared === true && kind.isThere?.(hosts) !== false && kind.ask(request) !== undefined)

/** Whether a request asks only for amounts. */
export const asksPlain = (request: RequestSpec): boolean =>
  allKinds.every((kind) => kind.isPlain === true || kind.ask(request) === undefined)

/** Whether grants are amounts only. */
export const isPlain = (grants: Grants): boolean => allKinds.every((kind) => kind.isPlain === true || grants[kind.name] === undefined)

/** Whether grants are equal to other grants or a part of them: no amount is larger, and all units are among the other units. */
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
 * Whether an instance that gets new grants on its own host takes only the difference, so that nothing is held twice. This is true if both
 * grants are amounts, or if all units of the new grants are a part of the held units.
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
 * Whether the instance still has enough memory outside of huge pages after the resize. During a resize, the larger of the two memory
 * amounts and all pages of the instance are held. The held amount outside of the pages must be enough for the memory that the instance has
 * outside of its pages after the resize.
 */
function leavesNoPages(held: Grants, next: Grants): boolean {
  const [own, wanted] = [held.classes?.MEMORY_MB ?? 0, next.classes?.MEMORY_MB ?? 0]
  return wanted - inPages(next) <= Math.max(own, wanted) - inPages(held)
}

const inPages = ({ numa = [] }: Grants): number => numa.reduce((sum, { pages, memoryMb }) => sum + (pages === undefined ? 0 : memoryMb), 0)

/** Like `takesDifference`, but for a request instead of its grants. The grants that the instance holds count as free on the host. */
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
