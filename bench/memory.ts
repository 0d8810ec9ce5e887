import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { checkpointOf, currentStats, type Fleet, type HostRecord, publishedStats, restoreFleet } from '@gantt/scheduler-core'
import { aFleet } from './join.ts'
import type { Question } from './question.ts'

/** Parts of records, with the fields that belong to each. They are taken away from all records, one part after the other. */
const parts = {
  'who reported last, documents of namespaces': ['reporters', 'namespaces'],
  'aggregates, traits, instances, cells, GPUs': ['aggregates', 'diskPools', 'aggregateRatios', 'traits', 'present', 'cells', 'gpus'],
  'sets of claims, data of the resource kinds': ['claims', 'ofKinds'],
} as const satisfies Readonly<Record<string, readonly (keyof HostRecord)[]>>

/** Measures the memory of a restored fleet, without the data that requests and queries add. */
export const memory: Question = {
  name: 'memory',
  asks: 'How much memory does a host need in a fleet with a claim on every second host?',
  floor: 'all memory of a host',
  rounds: 1,
  run({ hosts = 100_000 }) {
    const collect = collector()
    const before = collect()
    const fleet = joinedFleet(hosts)
    const all = collect()
    const perHost = (from: number, to: number): number => Math.max(0, Math.round((from - to) / hosts))
    const whole = perHost(all.heap + all.columns, before.heap + before.columns)
    // indexes share the reports, so their memory is that of copies
    const reports = fleet.hosts.records.map(({ stats }) => currentStats(JSON.parse(JSON.stringify(publishedStats(stats)))))
    const copied = collect()
    const found = [
      { what: 'columns', bytes: perHost(all.columns, before.columns) },
      { what: 'report', bytes: reports.length === 0 ? 0 : perHost(copied.heap, all.heap) },
    ]
    reports.length = 0
    let last = collect().heap
    for (const [what, fields] of Object.entries(parts)) {
      for (const record of fleet.hosts.records) for (const field of fields) Reflect.set(record, field, undefined)
      const { heap } = collect()
      found.push({ what, bytes: perHost(last, heap) })
      last = heap
    }
    found.push({ what: 'record, names, claims, keys', bytes: Math.max(0, whole - found.reduce((sum, { bytes }) => sum + bytes, 0)) })
    return [
      { what: `${hosts} hosts, ${fleet.ledger.claims.size} claims`, unit: 'bytes', median: whole, p99: null, ratio: null },
      ...found.map(({ what, bytes }) => ({
        what,
        unit: 'bytes' as const,
        median: bytes,
        p99: null,
        ratio: whole === 0 ? null : bytes / whole,
      })),
    ]
  },
}

/** The fleet of a replica that joined. It is built from texts, so that it shares nothing with the fleet that wrote them. */
const joinedFleet = (hosts: number): Fleet => restoreFleet(JSON.parse(JSON.stringify(checkpointOf(aFleet(hosts)))))

/** Returns a function that collects garbage, and returns the memory in use. */
function collector(): () => { readonly heap: number; readonly columns: number } {
  setFlagsFromString('--expose_gc')
  const gc = runInNewContext('gc') as () => void
  return () => {
    gc()
    gc()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return { heap: heapUsed, columns: arrayBuffers }
  }
}
