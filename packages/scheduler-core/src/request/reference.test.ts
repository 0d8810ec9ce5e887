import { expect, test } from 'vitest'
import { statsSchemas } from '../report/stats-versions.ts'
import { type Form, pageOf } from '../testing/reference.ts'
import { specSchemas } from './versions.ts'

const generated = (from: string) =>
  `Generated from \`${from}\` by \`npm run docs:request-spec\`; a test fails where this page and the code differ. \`versions.md\` says how versions live together.`

const inOrder = (schemas: object) => Object.entries(schemas).map(([version, schema]) => ({ version, schema }))

const requestSpec: Form = {
  title: 'RequestSpec: the fields of a request',
  intro: [
    'The request of `selectDestinations(input: {spec: {gantt: ...}})`, as it is kept (`RequestSpec.document`). Over GraphQL, maps are lists of',
    '`{key, value}`, each of `pciRequests[].specs` is `{properties: [{key, value}]}`, hints are `{key, values}`, and `nova` comes by `spec: {nova}` or `spec: {legacy}`.',
    '',
    generated('packages/scheduler-core/src/request/versions'),
  ],
  rules: [
    '`numInstances`, where both are given, is the number of `instanceUuids`; no instance is named twice.',
    'No two cells of `numaTopology.cells` have the same `id`.',
    'Each CPU of the flavor, numbered from 0, is in the `cpus` of one cell, and the `memoryMb` of the cells are together that of the flavor; so with the members of a gang. A request that is stored already is taken as it is.',
    '`flavor.extraSpecs`: `resources:CLASS` has a whole number of 0 to 1,099,511,627,776, `trait:NAME` has `required` or `forbidden`. A map has at most 256 keys, and 16,384 characters as JSON.',
    '`dedicatedCpus` is given with `cpuPolicy: mixed` and only then; it names CPUs of `cpus`, each once.',
    '`gpus.numaPolicy` is given with `numaTopology` and only then, of the request or of the member of the gang; `instanceGroup.apartFrom` names other groups than its own.',
    '`nova.document` is at most 262,144 characters of JSON.',
    'Text holds no NUL and no half of a surrogate pair; nothing is nested deeper than 64.',
  ],
  versions: inOrder(specSchemas),
}

const hostStats: Form = {
  title: 'HostStats: the fields of a host report',
  intro: [
    'The full report of `updateResourceStats` (`report: {full: ...}`), as it is kept (`Host.stats`). Over GraphQL, `pciPools[].tags` is a list of',
    '`{key, value}`, and `nova` comes by `report: {nova}`. Documents of 1.0 do not say their version.',
    '',
    generated('packages/scheduler-core/src/report/versions'),
  ],
  rules: [
    'Where `maxUnit` of an inventory is given, `minUnit` is at most that, and a multiple of `stepSize` is between them. A report that is stored already is taken as it is.',
    'No two cells of `numaCells` have the same `id` or share a CPU, and none lists a CPU twice.',
    '`pinnedCpus` and `siblings` name CPUs of the cell: of `cpuset`, or of `dedicatedCpuset`; no CPU is a thread of two cores.',
    'A page size is listed once in a cell; `reserved` is at most `total`, for pages and for inventories.',
    'No two `gpus` have the same `index`; a resource class is listed once in `inventories`.',
    '`nova.computeNode` and `nova.service` are at most 262,144 characters of JSON each.',
    'Text holds no NUL and no half of a surrogate pair; nothing is nested deeper than 64.',
  ],
  versions: inOrder(statsSchemas),
}

test.each([
  ['request-spec.md', requestSpec],
  ['host-stats.md', hostStats],
])('docs/%s has the fields of the published versions (npm run docs:request-spec writes it)', async (name, form) => {
  await expect(pageOf(form)).toMatchFileSnapshot(`../../../../docs/${name}`)
})

test.each([requestSpec, hostStats])('every field of $title has a meaning', (form) => {
  const rows = pageOf(form)
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  expect(rows.length).toBeGreaterThan(40)
  expect(rows.filter((row) => row.endsWith('|  |'))).toEqual([])
})
