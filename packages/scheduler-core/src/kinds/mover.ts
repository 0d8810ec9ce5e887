import type { HostIndex } from '../fleet/columns.ts'
import type { HostTable } from '../fleet/hosts.ts'
import type { Grants } from './index.ts'

/** What the instance that moves holds on this host already; undefined where nothing moves, or not from here. */
export const heldByMover = ({ lifted }: HostTable, host: HostIndex): Grants | undefined =>
  lifted !== null && lifted.host === host ? lifted.grants : undefined
