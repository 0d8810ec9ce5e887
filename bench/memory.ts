import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { checkpointOf, type Fleet, type HostRecord, restoreFleet } from '@gantt/scheduler-core'
import { aFleet } from './join.ts'
import type { Question } from './question.ts'

/** The parts of a record that are measured, and the fields that belong to each. They are taken away from all records one after the other. */
const parts = {
  'reports of hosts': ['stats'],
  'who reported last, documents of namespaces': ['reporters', 'namespaces'],
  'aggregates, zones, traits, instances, cells, GPUs': [
    'aggregates',
    'zone',
    'diskPools',
    'aggregateRatios',
    'traits',
    'present',
    'cells',
    'gpus',
  ],
  'claims on hosts, data of the resource kinds': ['claims', 'ofKinds'],
} as const satisfies Readonly<Record<string, readonly (keyof HostRecord)[]>>

/** Measures the memory of a restored fleet, without the data that requests and queries add. */
export const memory: Question = {
  name: 'memory',
  asks: 'How much memory does a host need in a fleet with a claim on every second host?',
  floor: 'none: the figures are bytes',
  rounds: 1,
  run({ hosts = 100_000 }) {
    const collect = collector()
    const before = collect()
    const fleet = joinedFleet(hosts)
    const all = collect()
    const perHost = (from: number, to: number): number => Math.round((from - to) / hosts)
    const figures = [
      {
        what: `${hosts} hosts, ${fleet.ledger.claims.size} claims: all, for each host`,
        bytes: perHost(all.heap + all.columns, before.heap + before.columns),
      },
      { what: 'columns', bytes: perHost(all.columns, before.columns) },
    ]
    let last = all.heap
    for (const [what, fields] of Object.entries(parts)) {
      for (const record of fleet.hosts.records) for (const field of fields) Reflect.set(record, field, undefined)
      const { heap } = collect()
      figures.push({ what, bytes: perHost(last, heap) })
      last = heap
    }
    figures.push({ what: 'records, names, claims, keys', bytes: perHost(last, before.heap) })
    return figures.map(({ what, bytes }) => ({ what, unit: 'bytes', median: bytes, p99: null, ratio: null }))
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
