import { isLive } from '../records/claim.ts'
import type { HostRecord } from './hosts.ts'

/** Whether a host holds an instance: its report lists it, or a live claim is for it. */
export function holdsInstance({ present, claims }: HostRecord, uuid: string): boolean {
  if (present.has(uuid)) return true
  for (const claim of claims) if (claim.instance === uuid && isLive(claim)) return true
  return false
}
