import { expect, test } from 'vitest'
import { statsSchemas } from '../report/stats-versions.ts'
import { type Form, pageOf } from '../testing/reference.ts'
import { specSchemas } from './versions.ts'

const generated = (from: string) =>
  `Generated from \`${from}\` by \`npm run docs:request-spec\`; a test fails where this page and the code differ. \`versions.md\` describes how several versions are used at the same time.`

const inOrder = (schemas: object) => Object.entries(schemas).map(([version, schema]) => ({ version, schema }))

const requestSpec: Form = {
  title: 'RequestSpec: the fields of a request',
  intro: [
    'The request of `selectDestinations(input: {spec: {gantt: ...}})`, as it is stored (`RequestSpec.document`). In GraphQL, maps are lists of',
    '`{key, value}`, each of `pciRequests[].specs` is `{properties: [{key, value}]}`, hints are `{key, values}`, and `nova` is sent as `spec: {nova}` or `spec: {legacy}`.',
    '',
    generated('packages/scheduler-core/src/request/versions'),
  ],
  rules: [
    'If both are given, `numInstances` is the number of `instanceUuids`. No instance is named twice.',
    'No two cells of `numaTopology.cells` have the same `id`.',
    'Each CPU of the flavor, numbered from 0, is in the `cpus` of exactly one cell, and the `memoryMb` of all cells add up to that of the flavor. The same applies to each member of a gang. This is not checked again for stored requests.',
    'In `flavor.extraSpecs`, the value of `resources:CLASS` is a whole number from 0 to 1,099,511,627,776, and the value of `trait:NAME` is `required` or `forbidden`. A map has at most 256 keys, and 16,384 characters as JSON.',
    '`dedicatedCpus` is given if and only if `cpuPolicy` is `mixed`. It names CPUs of `cpus`, each once.',
    '`gpus.numaPolicy` needs `numaTopology` of the same request or member of the gang. `instanceGroup.apartFrom` does not name the group itself.',
    '`nova.document` has at most 262,144 characters of JSON.',
    'Text contains no NUL and no lone surrogate. Nothing is nested deeper than 64 levels.',
  ],
  versions: inOrder(specSchemas),
}

const hostStats: Form = {
  title: 'HostStats: the fields of a host report',
  intro: [
    'The full report of `updateResourceStats` (`report: {full: ...}`), as it is stored (`Host.stats`). In GraphQL, `pciPools[].tags` is a list of',
    '`{key, value}`, and `nova` is sent as `report: {nova}`. Documents of version 1.0 have no field `version`.',
    '',
    generated('packages/scheduler-core/src/report/versions'),
  ],
  rules: [
    'If an inventory has `maxUnit`, `minUnit` is not larger, and a multiple of `stepSize` is between the two. This is not checked again for stored reports.',
    'No two cells of `numaCells` have the same `id` or share a CPU, and none lists a CPU twice.',
    '`pinnedCpus` and `siblings` name CPUs of the cell, in `cpuset` or `dedicatedCpuset`. No CPU is a thread of two cores.',
    'A page size is listed once in a cell. `reserved` is at most `total`, for pages and for inventories.',
    'No two `gpus` have the same `index`. A resource class is listed once in `inventories`.',
    '`nova.computeNode` and `nova.service` have at most 262,144 characters of JSON each.',
    'Each class of `nova.openRatios` and `nova.openReserves` is VCPU, MEMORY_MB or DISK_GB, because the settings of the fleet have no other class, and has an inventory. The inventory of a class in `openRatios` has the `allocationRatio` 1, and the ComputeNode states no ratio for the class. The inventory of a class in `openReserves` has `reserved` 0. A report with another entry is refused with its path, because the entry would have no effect. This is not checked again for stored reports.',
    'Text contains no NUL and no lone surrogate. Nothing is nested deeper than 64 levels.',
  ],
  versions: inOrder(statsSchemas),
}

test.each([
  ['request-spec.md', requestSpec],
  ['host-stats.md', hostStats],
])('docs/%s has the fields of the published versions (npm run docs:request-spec writes it)', async (name, form) => {
  await expect(pageOf(form)).toMatchFileSnapshot(`../../../../docs/${name}`)
})

test.each([requestSpec, hostStats])('every field of $title has a description', (form) => {
  const rows = pageOf(form)
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  expect(rows.length).toBeGreaterThan(40)
  expect(rows.filter((row) => row.endsWith('|  |'))).toEqual([])
})
