import { audit } from '../../audit/audit.ts'
import { type Checkpoint, checkpointOf } from '../../fleet/checkpoint.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Change, ClaimRef } from '../../records/change.ts'
import { aLog, aReport, aUuid, type TestLog } from '../../testing/index.ts'
import { canonicalJson } from '../../values/canonical-json.ts'

export const X = aUuid(1)
export const Y = aUuid(2)
export const HOUR = 3_600_000
export const passing = { classes: { VCPU: 1 } }

/** A log at this feature level with three hosts of 4 CPUs. Their reports list no instances. */
export function threeHosts(level = 8): TestLog {
  const log = aLog()
  const shape = { vcpus: 4, memoryMb: 4_096, instances: [] }
  log.append([{ type: 'feature', level }, aReport('h1', shape), aReport('h2', shape), aReport('h3', shape)])
  return log
}

export const refOf = ({ fleet }: TestLog, id: string): ClaimRef => ({ claim: id, fence: fleet.ledger.claims.get(id)?.fence ?? Number.NaN })
export const stateOf = ({ fleet }: TestLog, id: string) => fleet.ledger.claims.get(id)?.state
export const release = (log: TestLog, id: string): Change => ({ type: 'release', ...refOf(log, id), reason: null })
export const free = ({ fleet }: TestLog, host: string) => {
  const record = fleet.hosts.find({ host, node: host })
  return record === undefined ? undefined : fleet.hosts.classColumns('VCPU').free[record.index]
}
export const stored = (fleet: Fleet): Checkpoint => JSON.parse(canonicalJson(checkpointOf(fleet)))
export const findings = (fleet: Fleet) => [...audit(fleet)].flatMap((one) => one.findings)
