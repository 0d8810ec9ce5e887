import { FEATURE_LEVEL, type Fleet, parseRequestSpec, type RequestSpec } from '@gantt/scheduler-core'
import { aLog, aReport, aUuid, type TestLog } from '@gantt/scheduler-core/testing'
import type { DemoFleet } from '../fleet.ts'
import type { DemoSpec } from '../requests.ts'

/** The demo's fleet as a replica has it after the set-up. */
export const applied = (fleet: DemoFleet): Fleet => appliedLog(fleet).fleet

/** The log that creates the demo's fleet. */
export function appliedLog({ hosts, aggregates, closed }: DemoFleet): TestLog {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }])
  log.append(hosts.map(({ name, stats }) => aReport(name, stats)))
  log.append(
    aggregates.map(({ name, metadata, hosts: members }, index) => ({
      type: 'aggregate',
      uuid: aUuid(index + 1),
      expectedVersion: 0,
      next: { name, metadata, hosts: members },
    })),
  )
  for (const { status, reason, hosts: names } of closed)
    log.append(names.map((host) => ({ type: 'status', host, node: host, status, reason })))
  return log
}

/** Parses a request of the demo as the core does. Throws if the API would refuse it. */
export function toRequest({ flavor, ...spec }: DemoSpec): RequestSpec {
  const extraSpecs = Object.fromEntries(flavor.extraSpecs.map(({ key, value }) => [key, value]))
  const parsed = parseRequestSpec({ ...spec, flavor: { ...flavor, extraSpecs } })
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  return parsed.value
}
