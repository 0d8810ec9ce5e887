import type { HostTable } from '../hosts/hosts.ts'
import type { Grants, KindName } from '../records/grants.ts'
import type { HostIndex } from '../values/host-index.ts'
import { OWN_UNITS } from '../values/levels.ts'
import type { ResourceKind } from './kind.ts'

/**
 * The grants that the moving instance holds on this host and that count as free for it. Undefined if no instance moves, or if it moves
 * from another host.
 */
export const heldByMover = ({ mover }: HostTable, host: HostIndex): Grants | undefined =>
  mover?.isFree === true && mover.host === host ? mover.grants : undefined

/** A mark for a reason: the moving instance itself holds resources of the kind on the host, and keeps them until its move ends. */
export const keptByMover = ({ mover }: HostTable, host: HostIndex, kind: keyof Grants): { readonly isHeldTwice?: true } =>
  mover?.isFree === false && mover.host === host && mover.grants[kind] !== undefined ? { isHeldTwice: true } : {}

/**
 * The units that a moving instance can keep on this host to meet an ask. Undefined if it holds no units, or not enough. `others` are the
 * grants that earlier kinds chose. Without `others`, the cells are those that the instance holds.
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
