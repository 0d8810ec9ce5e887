import { batches } from '../../call/batches.ts'
import type { DemoApi } from './api.ts'
import type { DemoFleet } from './fleet.ts'

/** One call has this many reports: about 1 MiB of the 4 MiB that a call may have. */
const REPORTS_PER_CALL = 500
/** This many calls run concurrently. While the service writes the reports of one call, it parses those of the next. */
const CALLS_AT_ONCE = 3
const MEMBERS_PER_CALL = 10_000
const CLOSED_PER_CALL = 1_000

/**
 * The incarnation of the first reports. It is the same at every start, so that the service recognises the reports that it received before a
 * restart of the demo.
 */
const FIRST_INCARNATION = 'd3a0f1ee-7000-4000-8000-000000000001'

/**
 * Reports the fleet, creates its aggregates and closes the closed hosts. After an interrupted start, a repeated call completes what is
 * missing.
 */
export async function setUpFleet(api: DemoApi, fleet: DemoFleet, show: (reported: number) => void): Promise<void> {
  await reportHosts(api, fleet, show)
  await api.retryWork(() => gatherHosts(api, fleet))
  for (const { hosts, ...why } of fleet.closed)
    for (const batch of batches(hosts, CLOSED_PER_CALL)) await api.close({ ...why, hosts: batch })
}

async function gatherHosts(api: DemoApi, fleet: DemoFleet): Promise<void> {
  const known = new Map((await api.aggregates()).map((aggregate) => [aggregate.name, aggregate]))
  for (const { name, metadata, hosts } of fleet.aggregates) {
    const aggregate = known.get(name) ?? (await api.createAggregate(name, metadata))
    const members = new Set(aggregate.hostNames)
    let { version } = aggregate
    const missing = hosts.filter((host) => !members.has(host))
    for (const batch of batches(missing, MEMBERS_PER_CALL)) version = await api.addHosts({ uuid: aggregate.uuid, version }, batch)
  }
}

async function reportHosts(api: DemoApi, { hosts }: DemoFleet, show: (reported: number) => void): Promise<void> {
  const waiting = batches(hosts, REPORTS_PER_CALL)[Symbol.iterator]()
  let reported = 0
  const reportNext = async (): Promise<void> => {
    for (const batch of waiting) {
      await api.report(batch.map(({ name, stats }) => ({ host: name, incarnation: FIRST_INCARNATION, sequence: 1, stats })))
      reported += batch.length
      show(reported)
    }
  }
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, reportNext))
}
