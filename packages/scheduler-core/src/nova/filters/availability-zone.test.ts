import { expect, test } from 'vitest'
import { anAggregate } from '../testing/builders.ts'
import { type Given, reasonOf, verdictOf } from '../testing/judge.ts'
import { availabilityZoneFilter } from './availability-zone.ts'

const zone = (...values: string[]) => values.map((value, i) => anAggregate(`a${i}`, { availability_zone: value }))
const asks = (availabilityZone: string) => ({ availabilityZone })

test.each<[string, Given, string]>([
  ['a request that names no zone', { host: { aggregates: zone('az1') } }, 'passes'],
  ['a request with an empty zone', { request: asks(''), host: { aggregates: zone('az1') } }, 'passes'],
  ['an aggregate of the host has the zone', { request: asks('az1'), host: { aggregates: zone('az1') } }, 'passes'],
  ['the zone is one of a list in the metadata', { request: asks('az2'), host: { aggregates: zone('az1, az2') } }, 'passes'],
  ['the host is in a zone that was not requested', { request: asks('az2'), host: { aggregates: zone('az1') } }, 'zone.other'],
  ['capitals matter', { request: asks('AZ1'), host: { aggregates: zone('az1') } }, 'zone.other'],
  ['a host without a zone is in the default zone', { request: asks('nova') }, 'passes'],
  ['a host with a zone is not in the default zone', { request: asks('nova'), host: { aggregates: zone('az1') } }, 'zone.other'],
  [
    'the default zone of the options is not the requested one',
    { request: asks('nova'), options: { default_availability_zone: 'az9' } },
    'zone.other',
  ],
])('%s', (_name, given, verdict) => expect(verdictOf(availabilityZoneFilter, given)).toBe(verdict))

test("the reason of a refusal names the source of the host's zone", () => {
  const request = asks('az3')
  const own = { need: 'az3', have: 'az1, az2', source: 'aggregate a0, a1 availability_zone' }
  expect(reasonOf(availabilityZoneFilter, { request, host: { aggregates: zone('az1', 'az2') } })).toMatchObject(own)
  expect(reasonOf(availabilityZoneFilter, { request })).toMatchObject({ have: 'nova', source: 'option default_availability_zone' })
})
