import type { HostIndex } from '../fleet/columns.ts'
import type { HostTable } from '../fleet/hosts.ts'
import type { Grants } from './index.ts'

/** What the instance that moves holds on this host, and may have again; undefined where nothing moves, or not from here. */
export const heldByMover = ({ mover }: HostTable, host: HostIndex): Grants | undefined =>
  mover?.isFree === true && mover.host === host ? mover.grants : undefined

/** Says of a reason that the instance itself holds something of the kind here, and keeps it until its move ends. */
export const keptByMover = ({ mover }: HostTable, host: HostIndex, kind: keyof Grants): { readonly isHeldTwice?: true } =>
  mover?.isFree === false && mover.host === host && mover.grants[kind] !== undefined ? { isHeldTwice: true } : {}
