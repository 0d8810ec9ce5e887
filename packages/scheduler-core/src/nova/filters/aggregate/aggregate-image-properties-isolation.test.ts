import { expect, test } from 'vitest'
import type { NovaImage } from '../../objects/request.ts'
import { anAggregate } from '../../testing/builders.ts'
import { type Given, reasonOf, verdictOf } from '../../testing/judge.ts'
import { aggregateImagePropertiesIsolation } from './aggregate-image-properties-isolation.ts'

const image = (properties: NovaImage['properties']): Given['request'] => ({ image: { id: 'i', minRam: 0, minDisk: 0, properties } })
const kept = (...metadata: Record<string, string>[]): Given['host'] => ({
  aggregates: metadata.map((pairs, i) => anAggregate(`a${i}`, pairs)),
})

test.each<[string, Given, string]>([
  ['no image', { host: kept({ os_type: 'linux' }) }, 'passes'],
  ['a property that the image does not have', { request: image({ os_type: 'linux' }), host: kept({ os_distro: 'debian' }) }, 'passes'],
  ['the image has one value of a list', { request: image({ os_type: 'linux' }), host: kept({ os_type: 'windows , linux' }) }, 'passes'],
  [
    'the image has the value of one of two aggregates',
    { request: image({ os_type: 'linux' }), host: kept({ os_type: 'windows' }, { os_type: 'linux' }) },
    'passes',
  ],
  [
    'the image has a value that the aggregate does not have',
    { request: image({ os_type: 'linux' }), host: kept({ os_type: 'windows' }) },
    'aggregate.image_property',
  ],
  ['an empty value excludes all images', { request: image({ os_type: 'linux' }), host: kept({ os_type: '' }) }, 'aggregate.image_property'],
  ['a number is compared by its digits', { request: image({ hw_cpu_cores: 4 }), host: kept({ hw_cpu_cores: '4' }) }, 'passes'],
  ['a boolean true matches True', { request: image({ hw_boot_menu: true }), host: kept({ hw_boot_menu: 'True' }) }, 'passes'],
  [
    'a boolean true does not match true',
    { request: image({ hw_boot_menu: true }), host: kept({ hw_boot_menu: 'true' }) },
    'aggregate.image_property',
  ],
  ['a boolean false is treated as absent', { request: image({ hw_boot_menu: false }), host: kept({ hw_boot_menu: 'True' }) }, 'passes'],
  [
    'a list is compared as Python prints it',
    { request: image({ traits_required: ['A'] }), host: kept({ traits_required: "['A']" }) },
    'passes',
  ],
  [
    'CPUs of NUMA nodes are compared as Python sets',
    { request: image({ hw_numa_cpus: [[0]] }), host: kept({ hw_numa_cpus: '[{0}]' }) },
    'passes',
  ],
  ['a key that is not an image property', { request: image({ mine: 'x' }), host: kept({ mine: 'y' }) }, 'passes'],
  [
    'the filter also checks a rebuild',
    { request: { ...image({ os_type: 'l' }), schedulerHints: { _nova_check_type: ['rebuild'] } }, host: kept({ os_type: 'w' }) },
    'aggregate.image_property',
  ],
])('%s', (_name, given, verdict) => expect(verdictOf(aggregateImagePropertiesIsolation, given)).toBe(verdict))

test('if a namespace is set, only metadata keys that start with the namespace and the separator are compared', () => {
  const given = { request: image({ os_type: 'linux' }), host: kept({ os_type: 'windows' }) }
  const options = (namespace: string, separator: string) => ({
    aggregate_image_properties_isolation_namespace: namespace,
    aggregate_image_properties_isolation_separator: separator,
  })
  expect(verdictOf(aggregateImagePropertiesIsolation, { ...given, options: options('hw', '_') })).toBe('passes')
  expect(verdictOf(aggregateImagePropertiesIsolation, { ...given, options: options('os', '_') })).toBe('aggregate.image_property')
  expect(verdictOf(aggregateImagePropertiesIsolation, { ...given, options: options('os', '.') })).toBe('passes')
  expect(verdictOf(aggregateImagePropertiesIsolation, { ...given, options: options('', '.') })).toBe('aggregate.image_property')
})

test('the reason of a refusal names the property, the values and the aggregate', () => {
  const reason = { subject: 'os_type', need: 'linux', have: 'windows', source: 'aggregate a0 os_type' }
  expect(
    reasonOf(aggregateImagePropertiesIsolation, { request: image({ os_type: 'linux' }), host: kept({ os_type: 'windows' }) }),
  ).toMatchObject(reason)
})
