import { basename } from 'node:path'
import { readCsv, TraceError, wholeNumber } from '../trace-file.ts'

/** One VM of the Huawei-East-1 trace, with its arrival and lifetime. */
export interface HuaweiVm {
  readonly id: number
  readonly vcpus: number
  readonly memoryGb: number
  /** The arrival in seconds since the start of the trace. It is not earlier than the arrival in the row before. */
  readonly arrivalS: number
  readonly lifetimeS: number
}

/** The VMs in order of arrival. Throws TraceError for a file that is not such a trace. */
export function readHuaweiVms(file: string): readonly HuaweiVm[] {
  const rows = readCsv(file, {
    vm_id: wholeNumber(0),
    vcpus: wholeNumber(1, 65_536),
    memory_gb: wholeNumber(1, 65_536),
    arrival_s: wholeNumber(0),
    lifetime_s: wholeNumber(0),
  })
  const ids = new Set<number>()
  return rows.map((row, i) => {
    const before = rows[i - 1]
    const refuse = (found: string, allowed: string) => new TraceError(`${basename(file)}, line ${i + 2}: ${found}; it must be ${allowed}`)
    if (before !== undefined && row.arrival_s < before.arrival_s)
      throw refuse(`arrival_s is ${row.arrival_s}`, `${before.arrival_s} or more, as in the line before`)
    if (ids.has(row.vm_id)) throw refuse(`vm_id is ${row.vm_id}, which an earlier line has`, 'unique')
    ids.add(row.vm_id)
    return { id: row.vm_id, vcpus: row.vcpus, memoryGb: row.memory_gb, arrivalS: row.arrival_s, lifetimeS: row.lifetime_s }
  })
}
