import { type Checkpoint, checkpointOf } from '../../fleet/checkpoint.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Change } from '../../records/change.ts'
import { aLog, aReport, type TestLog } from '../../testing/index.ts'
import { canonicalJson } from '../../values/canonical-json.ts'

export const HOUR = 3_600_000

/** A log with two hosts of 4 CPUs and 4 GiB each. Their reports list no instances yet. */
export function twoHosts(): TestLog {
  const log = aLog()
  const shape = { vcpus: 4, memoryMb: 4_096, instances: [] }
  log.append([aReport('h1', shape), aReport('h2', shape)])
  return log
}

export const stateOf = ({ fleet }: TestLog, id: string) => fleet.ledger.claims.get(id)?.state
export const fenceOf = ({ fleet }: TestLog, id: string): number => fleet.ledger.claims.get(id)?.fence ?? Number.NaN
export const free = ({ fleet }: TestLog, host = 'h1') => {
  const record = fleet.hosts.find({ host, node: host })
  return record === undefined ? undefined : fleet.hosts.classColumns('VCPU').free[record.index]
}
export const passing = { classes: { VCPU: 1 } }
export const expire = (claim: string): Change => ({ type: 'expire', claim })
export const abandon = (key: string): Change => ({ type: 'abandon', account: 'acme', key })
export const disable: Change = { type: 'status', host: 'h1', node: 'h1', status: 'DISABLED', reason: '' }
export const stored = (fleet: Fleet): Checkpoint => JSON.parse(canonicalJson(checkpointOf(fleet)))
