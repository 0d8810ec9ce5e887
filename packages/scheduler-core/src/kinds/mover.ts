import type { HostTable } from '../hosts/hosts.ts'
import type { Grants, KindName } from '../records/grants.ts'
import type { HostIndex } from '../values/host-index.ts'
import { OWN_UNITS } from '../values/levels.ts'
import type { ResourceKind } from './kind.ts'

/**
 * The grants that the moving instance holds on this host, if these grants count as free for the instance. Undefined otherwise, or if no
 * instance of this host moves.
 */
export const heldByMover = ({ mover }: HostTable, host: HostIndex): Grants | undefined =>
  mover?.isFree === true && mover.host === host ? mover.grants : undefined

/**
 * A field for the reason of a refusal. It is set if the moving instance itself holds resources of the kind on this host until its move
 * ends.
 */
export const keptByMover = ({ mover }: HostTable, host: HostIndex, kind: keyof Grants): { readonly isHeldTwice?: true } =>
  mover?.isFree === false && mover.host === host && mover.grants[kind] !== undefined ? { isHeldTwice: true } : {}

/**
 * The units that meet an ask, out of the units that a moving instance holds on this host. Undefined if the instance does not hold enough.
 * `others` are the grants that earlier kinds chose, whose NUMA cells the guest gets. Without `others`, the guest gets the NUMA cells that
 * it holds.
 */
export function ownUnits<Ask, Grant>(
  kind: ResourceKind<Ask, Grant>,
  hosts: HostTable,
  host: HostIndex,
  ask: Ask,
  others?: Grants,
): Grant | undefined {
  const grants = hosts.featureLevel < OWN_UNITS ? undefined : heldByMover(hosts, host)
  const held = grants?.[kind.name as KindName] as Grant | undefined
  if (held === undefined) return undefined
  return kind.keep?.(
    hosts,
    host,
    ask,
    held,
    (others ?? grants)?.numa?.map(({ cell }) => cell),
  )
}
