import { expect, test } from 'vitest'
import { CallerGoneError, duringCall } from '../../event-loop/query.ts'
import { createGroups } from './groups.ts'

/** A service with 5,000 groups in no order, and a count of how many times their uuids are read. */
function manyGroups() {
  const read = { uuids: 0 }
  const byUuid = new Map(
    Array.from({ length: 5_000 }, (_, i) => {
      const uuid = `${(i * 7_919) % 5_000}`.padStart(4, '0')
      const group = {
        get uuid() {
          read.uuids++
          return uuid
        },
      }
      return [uuid, group]
    }),
  )
  return { groups: createGroups({ fleet: { groups: { byUuid } } } as never), read }
}

test('a page of groups is sorted by uuid', async () => {
  const { edges } = await manyGroups().groups.list({ first: 3 })
  expect(edges.map(({ node }) => node.uuid)).toEqual(['0000', '0001', '0002'])
})

test('very many groups are sorted in steps, which end when the caller disconnects', async () => {
  const { groups, read } = manyGroups()
  await expect(duringCall(AbortSignal.abort(), () => groups.list({ first: 3 }))).rejects.toThrow(CallerGoneError)
  expect(read.uuids).toBeLessThan(20_000)
})
