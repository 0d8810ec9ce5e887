import { describe, expect, test } from 'vitest'
import { filters } from '../bundled.ts'
import { checkpointOf, restoreFleet } from '../fleet/checkpoint.ts'
import { novaFilterNames } from '../nova/built-in.ts'
import { aRequest } from '../testing/index.ts'
import type { Fact } from '../text/evidence.ts'
import type { Reason } from '../text/reason.ts'
import type { HostIndex } from '../values/host-index.ts'
import { fitFilters } from './index.ts'
import { companyTables } from './testing/company-tables.ts'
import { hostTables } from './testing/host-tables.ts'
import { resourceTables } from './testing/resource-tables.ts'
import { type FilterTables, fleetOf, named, sayOf } from './testing/rows.ts'

const tables: FilterTables = { ...hostTables, ...companyTables, ...resourceTables }

/** Expects that the first fact has the numbers of the reason, and that each number has a source. */
function expectFacts(facts: readonly Fact[] | undefined, { need, have, unit }: Reason): void {
  const [first] = facts ?? []
  expect(first).toBeDefined()
  if (need !== undefined) expect(first?.required).toBe(need)
  if (have !== undefined) expect(first?.actual).toBe(have)
  if (unit !== undefined) expect(first?.unit).toBe(unit)
  for (const { requiredFrom, actualFrom, terms = [] } of facts ?? [])
    for (const { kind, ref, report } of [requiredFrom, actualFrom, ...terms.map(({ from }) => from)]) {
      expect(kind === 'status' || kind === 'liveness' ? 'words of operators' : ref).not.toBe('')
      if (kind === 'report') expect(report).toMatchObject({ sequence: expect.any(Number), at: expect.any(Number) })
    }
}

describe.each(Object.entries(tables))('%s', (name, rows) => {
  test.each(Object.entries(rows))('%s', (_row, { says, ...row }) => {
    const fleet = fleetOf(row)
    expect(sayOf(named(name), fleet, row.request)).toEqual(says)
    if (typeof says === 'object')
      expectFacts(
        named(name)
          .prepare(aRequest(row.request), fleet, {})
          ?.facts?.(0 as HostIndex),
        says,
      )
  })
})

test('a host that is down is refused', () => {
  const checkpoint = checkpointOf(fleetOf({}))
  const fleet = restoreFleet({ ...checkpoint, hosts: checkpoint.hosts.map((stored) => ({ ...stored, liveness: 2 })) })
  expect(sayOf(named('ComputeFilter'), fleet, {})).toEqual({ code: 'host.down', need: 'UP or SUSPECT', have: 'DOWN', source: '' })
})

test('a host with liveness SUSPECT passes', () => {
  const checkpoint = checkpointOf(fleetOf({}))
  const fleet = restoreFleet({ ...checkpoint, hosts: checkpoint.hosts.map((stored) => ({ ...stored, liveness: 1 })) })
  expect(sayOf(named('ComputeFilter'), fleet, {})).toBe(true)
})

// Nova's filters have their own tests in nova/filters and nova/parts/as-filter.test.ts.
const ownFilters = filters.filter(({ name }) => !novaFilterNames.has(name))

test('every filter has a table of tests, a unique name, and a sentence as its description', () => {
  expect(ownFilters.map(({ name }) => name).filter((name) => tables[name] === undefined)).toEqual([])
  expect(new Set(filters.map(({ name }) => name)).size).toBe(filters.length)
  for (const { description } of filters) expect(description).toMatch(/^[A-Z].*\.$/)
})

test('the list of filters includes those that run in every profile', () => {
  for (const filter of fitFilters) expect(filters).toContain(filter)
})
