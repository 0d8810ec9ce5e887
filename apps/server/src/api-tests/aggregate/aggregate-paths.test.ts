import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, startTestService, type TestService } from '../../testing/test-service.ts'

// These tests check that the path of an issue is a path in the input of the called mutation, whichever aggregate mutation was called.

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  await api.report({ big: {} })
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const RESULT = '{ __typename ... on AggregatePayload { aggregate { uuid } } ... on ValidationError { issues { path message } } }'
const CREATE = `mutation ($input: AggregateCreateInput!) { result: aggregateCreate(input: $input, dryRun: true) ${RESULT} }`
const UPDATE = `mutation ($input: AggregateUpdateInput!) { result: aggregateUpdate(uuid: "00000000-0000-4000-8000-000000000001", ifVersion: 1, input: $input, dryRun: true) ${RESULT} }`
const IMPORT = `mutation ($document: JSON!) { result: aggregateImport(document: $document, dryRun: true) ${RESULT} }`

const ofNova = (data: object) => ({
  document: { uuid: '00000000-0000-4000-8000-000000000002', name: 'x', hosts: [], metadata: {}, ...data },
})

test.each<[string, string, Record<string, unknown>, readonly string[]]>([
  ['a host of a new aggregate', CREATE, { input: { name: 'x', hosts: ['big', 'ghost'] } }, ['input.hosts.1']],
  ['a metadata key of a new aggregate', CREATE, { input: { name: 'x', metadata: [{ key: '', value: 'v' }] } }, ['input.metadata.0.key']],
  ['a host that is added', UPDATE, { input: { addHosts: ['ghost'] } }, ['input.addHosts.0']],
  ['a metadata key that is set', UPDATE, { input: { setMetadata: [{ key: '', value: 'v' }] } }, ['input.setMetadata.0.key']],
  ["a host of Nova's aggregate", IMPORT, ofNova({ hosts: ['ghost'] }), ['document.hosts.0']],
  [
    "the zone of Nova's aggregate",
    IMPORT,
    ofNova({ metadata: { a: 'b', availability_zone: '' } }),
    ['document.metadata.availability_zone'],
  ],
])('%s', async (_what, mutation, variables, expected) => {
  const { issues } = (await dataOf(api, mutation, variables)).result
  expect(issues.map(({ path }: { path: string[] }) => path.join('.'))).toEqual(expected)
  for (const [i, { message }] of issues.entries()) expect(message.startsWith(expected[i])).toBe(true)
})
