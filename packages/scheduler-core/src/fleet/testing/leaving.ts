import { expect } from 'vitest'
import { audit } from '../../audit/index.ts'
import type { Change, HostForgotten, HostReplaced } from '../../records/change.ts'
import { aClaim, aLog, aReport, aUuid, type HostShape, type TestLog } from '../../testing/index.ts'
import { canonicalJson } from '../../values/canonical-json.ts'
import { HOSTS_LEAVE } from '../../values/levels.ts'
import { checkpointOf, restoreFleet } from '../checkpoint.ts'

export const ENOUGH: HostShape = { vcpus: 8, memoryMb: 65_536, instances: [] }
export const named = (host: string) => ({ host, node: host })

/** A log at level HOSTS_LEAVE with hosts of 8 CPUs. */
export function hostsOf(...names: readonly string[]): TestLog {
  const log = aLog()
  log.append([{ type: 'feature', level: HOSTS_LEAVE }, ...names.map((name) => aReport(name, ENOUGH))])
  return log
}

export const forget = (host: string, isForced = false): HostForgotten => ({
  type: 'forget',
  hosts: [named(host)],
  isForced,
  reason: 'scrapped',
})
export const readmit = (host: string): Change => ({ type: 'readmit', ...named(host), reason: 'repaired' })
export const replace = (from: string, to: string): HostReplaced => ({
  type: 'replace',
  hosts: [{ from: named(from), to: named(to) }],
  reason: 'renamed',
})
export const claimOn = (host: string, key = 'k1', instance: string | null = aUuid(1)) =>
  aClaim({ key, hosts: [host], instances: [instance], mode: 'CONFIRM' })

/** Asserts that the auditor has no findings, and that a fleet restored from a checkpoint is equal. */
export function expectSound({ fleet }: TestLog): void {
  expect([...audit(fleet)].flatMap(({ findings }) => findings)).toEqual([])
  const stored = canonicalJson(checkpointOf(fleet))
  const again = restoreFleet(JSON.parse(stored))
  expect(canonicalJson(checkpointOf(again))).toBe(stored)
  for (const name of ['h1', 'h2', 'h3'].map(named)) {
    expect(again.hosts.find(name)?.index).toBe(fleet.hosts.find(name)?.index)
    expect(again.hosts.findForgotten(name)?.index).toBe(fleet.hosts.findForgotten(name)?.index)
    expect(again.hosts.refusesName(name)).toBe(fleet.hosts.refusesName(name))
  }
}
