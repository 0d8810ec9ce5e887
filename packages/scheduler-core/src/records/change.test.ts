import { expect, test } from 'vitest'
import { aDocument, aReport } from '../testing/index.ts'
import type { Change } from './change.ts'
import { levelOf } from './change-levels.ts'

const uuid = '00000000-0000-4000-8000-000000000071'
const cell = { id: 0, cpuset: [0, 1], memoryMb: 1_024 }

test.each<[string, number, Change]>([
  ['a report of the first version', 1, aReport('h')],
  ['a report of cells with threads', 3, aReport('h', { numaCells: [{ ...cell, siblings: [[0, 1]] }] })],
  ['a report that omits fields', 5, aReport('h', { omitted: ['gpus'] })],
  ['a document of the storage service', 5, aDocument('h', 'storage', {})],
  ['a document of a namespace of a plug-in', 7, aDocument('h', 'power', {})],
  ['a document of an unknown namespace', 7, aDocument('h', 'anything', {})],
  ['the revocation of a claim', 2, { type: 'revoke', claim: uuid, reason: 'test' }],
  ['an edit of a group', 2, { type: 'group', uuid, policy: 'AFFINITY', maxServerPerHost: null, expectedVersion: 1 }],
  [
    'an aggregate that names a pool',
    6,
    { type: 'aggregate', uuid, expectedVersion: 0, next: { name: 'a', metadata: { 'gantt:disk_pool': 'p' }, hosts: [] } },
  ],
])('%s needs feature level %i', (_name, level, change) => {
  expect(levelOf(change)).toBe(level)
})
