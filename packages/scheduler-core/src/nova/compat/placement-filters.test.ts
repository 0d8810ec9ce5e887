import { describe, expect, test } from 'vitest'
import { causeOf } from '../../cause/cause.ts'
import { causeText } from '../../cause/cause-text.ts'
import { replay } from '../../decision/replay.ts'
import { builtInProfilesAt } from '../../profiles/built-in.ts'
import { type Profile, profileLevel } from '../../records/profile.ts'
import { aLog, aRequest, aUuid } from '../../testing/index.ts'
import { PLACEMENT_RULES } from '../../values/levels.ts'
import { placementFilters } from './placement-filters.ts'
import {
  bound,
  cellOf,
  compatAt,
  decided,
  extra,
  inCell,
  outcomeOf,
  profileOf,
  type Row,
  requestOf,
  townOf,
  withRules,
  zones,
} from './testing/placement-rows.ts'
import { tables } from './testing/placement-tables.ts'

test('every Placement filter has a table of tests', () => {
  expect(Object.keys(tables).sort()).toEqual(placementFilters.map(({ name }) => name).sort())
})

describe.each(Object.entries(tables))('%s', (_filter, rows) => {
  test.each(Object.entries(rows))('%s', (_name, row) => expect(outcomeOf(row)).toEqual(row.gets))
})

describe('below the feature level of the Placement filters', () => {
  test('a disabled host gets an instance if the profile does not list ComputeFilter', () => {
    expect(outcomeOf({ disabled: ['h1'], filters: [], gets: '' }, PLACEMENT_RULES - 1)).toBe('h1')
  })

  const asked = Object.values(tables).flatMap((rows) => Object.values(rows))

  test('no Placement filter is in the record of a decision', () => {
    for (const row of asked) {
      const fleet = townOf(row, PLACEMENT_RULES - 1)
      const { record } = decided(fleet, requestOf(row.asks), compatAt(PLACEMENT_RULES - 1))
      expect(record.instances.flatMap(({ filters }) => filters).filter(({ filter }) => filter.startsWith('Placement'))).toEqual([])
    }
  })

  test('a decision is replayed by the rules of its feature level', () => {
    for (const level of [PLACEMENT_RULES - 1, PLACEMENT_RULES])
      for (const row of asked) {
        const fleet = townOf(row, level)
        const profile = profileOf(row, level)
        const { record } = decided(fleet, requestOf(row.asks), profile)
        expect(replay(fleet, [], record, profile).record).toEqual(record)
      }
  })

  test('only a profile with Placement settings needs the feature level', () => {
    expect([profileLevel(withRules({})), profileLevel(compatAt(PLACEMENT_RULES - 1))]).toEqual([PLACEMENT_RULES, 3])
  })
})

test('the profile nova-compat has Placement settings from the feature level on', () => {
  const log = aLog()
  const shipped = () => log.fleet.profiles.find('nova-compat')
  log.append([{ type: 'feature', level: PLACEMENT_RULES - 1 }])
  expect([shipped()?.number, shipped()?.nova?.placement]).toEqual([0, undefined])
  log.append([{ type: 'feature', level: PLACEMENT_RULES }])
  expect([shipped()?.number, shipped()?.nova?.placement]).toEqual([
    0,
    expect.objectContaining({ availabilityZone: true, limitTenants: false }),
  ])
  expect(log.fleet.profiles.versionsOf('nova-compat')).toEqual([shipped()])
})

test('M01: the cause of a refusal names the zone and the trait that restricted the hosts', () => {
  const row: Row = { aggregates: zones, gets: '' }
  const asks = { ...extra({ 'trait:CUSTOM_X': 'required' }), availabilityZone: 'z2' }
  expect(causeText(causeOf(townOf(row), aRequest(asks), compatAt(PLACEMENT_RULES)))).toBe(
    'There is no host in availability zone z2 and with trait CUSTOM_X. There is 1 host in availability zone z2.',
  )
  expect(causeText(causeOf(townOf(row), aRequest({ availabilityZone: 'z2', memoryMb: 200_000 }), compatAt(PLACEMENT_RULES)))).toContain(
    'The only host in availability zone z2 does not take it. h2: Memory: 200000 MiB needed by one instance; the host has 65536 MiB in total.',
  )
})

test('a request with an image that Nova cannot read is refused by every host, and the cause says that a filter failed', () => {
  const request = aRequest({ ...extra({ 'trait:CUSTOM_X': 'required' }), image: { id: 'i', properties: { hw_cpu_cores: 'many' } } })
  const fleet = townOf({ gets: '' })
  const profile = withRules({ imageType: true, isolateAggregates: true })
  expect(decided(fleet, request, profile).parts).toEqual([])
  expect(causeText(causeOf(fleet, request, profile))).toMatch(/^Of 2 hosts none takes it: 2 on which a filter failed\. Nearest is h1: /)
})

test('A19 LP 1823370: this service’s own profile also keeps a request in its requested cell', () => {
  const own = builtInProfilesAt(PLACEMENT_RULES).find(({ name }) => name === 'default') as Profile
  const hosts = { h1: inCell(aUuid(71)), h2: inCell(aUuid(72)) }
  const request = bound({ cell: cellOf(aUuid(72)) })
  expect(decided(townOf({ hosts, gets: '' }), request, own).parts[0]?.host).toBe('h2')
  expect(decided(townOf({ hosts, gets: '' }, PLACEMENT_RULES - 1), request, own).parts[0]?.host).toBe('h1')
})
