import type { HostTable } from '../fleet/hosts.ts'
import { OWN_UNITS } from '../fleet/levels.ts'
import type { HostIndex } from '../host-index.ts'
import type { Grants, KindName } from './grants.ts'
import type { ResourceKind } from './kind.ts'

/** What the instance that moves holds on this host, and may have again; undefined where nothing moves, or not from here. */
export const heldByMover = ({ mover }: HostTable, host: HostIndex): Grants | undefined =>
  mover?.isFree === true && mover.host === host ? mover.grants : undefined

/** Says of a reason that the instance itself holds something of the kind here, and keeps it until its move ends. */
export const keptByMover = ({ mover }: HostTable, host: HostIndex, kind: keyof Grants): { readonly isHeldTwice?: true } =>
  mover?.isFree === false && mover.host === host && mover.grants[kind] !== undefined ? { isHeldTwice: true } : {}

/**
 * The part of its own units that the instance which moves may keep here for an ask; undefined where it holds none, or too few. `beside` are
 * the grants chosen before; without them its cells are those that it holds.
 */
export function ownUnits<Ask, Grant>(
  kind: ResourceKind<Ask, Grant>,
  hosts: HostTable,
  host: HostIndex,
  ask: Ask,
  beside?: Grants,
): Grant | undefined {
  const grants = hosts.featureLevel < OWN_UNITS ? undefined : heldByMover(hosts, host)
  const held = grants?.[kind.name as KindName] as Grant | undefined
  if (held === undefined) return undefined
  return kind.keep?.(
    hosts,
    host,
    ask,
    held,
    (beside ?? grants)?.numa?.map(({ cell }) => cell),
  )
}
