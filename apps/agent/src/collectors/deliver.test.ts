import { createGantt } from '@gantt/client'
import { expect, test } from 'vitest'
import { createDelivery } from './deliver.ts'

interface Reporter {
  readonly incarnation: string
  readonly sequence: number
}

test('a document that is stale, also by its own sequence, is sent again by a new incarnation', async () => {
  const reporters: Reporter[] = []
  const applied = { __typename: 'ResourceStatsApplied', lastSequence: 1, required: { namespaces: [{ namespace: 'power' }] } }
  const stale = (lastSequence: number) => ({ __typename: 'ResourceStatsStale', lastSequence })
  const answers: object[] = [applied, stale(2), applied, stale(9), applied]
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    const { variables } = JSON.parse(String(init?.body))
    reporters.push(variables.input.updates[0].reporter)
    return Response.json({ data: { updateResourceStats: { results: [answers.shift()] } } })
  }
  const deliver = createDelivery(createGantt({ url: 'http://a/graphql', fetch }), { host: 'h' }, 'power')
  for (let times = 0; times < 3; times++)
    expect(await deliver({ version: '1.0', document: {} }, {})).toEqual({ type: 'accepted', required: ['power'] })
  expect(reporters.map(({ sequence }) => sequence)).toEqual([1, 2, 1, 2, 1])
  expect(new Set(reporters.map(({ incarnation }) => incarnation)).size).toBe(3)
})
