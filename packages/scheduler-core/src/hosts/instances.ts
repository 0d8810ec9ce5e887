import { isLive } from '../records/claim.ts'
import type { HostRecord } from './hosts.ts'

/** True if an instance is on a host: the host's report lists the instance, or a live claim on the host is for the instance. */
export function holdsInstance({ present, claims }: HostRecord, uuid: string): boolean {
  if (present.has(uuid)) return true
  for (const claim of claims) if (claim.instance === uuid && isLive(claim)) return true
  return false
}
