import { createClient } from '@gantt/client'
import { importNovaRequest } from '@gantt/scheduler-core/nova'
import { expect, test } from 'vitest'
import type { Call } from '../history.ts'
import { placing } from '../testing/evidence.ts'
import { perform } from './calls.ts'

const INSTANCE = '0b9e0a6e-6a0c-4f0b-8d5e-0d7a3c1f2b4a'
const GROUP = { uuid: '5d2f6c1e-91f4-4f0a-9f3b-3c7d1e8a6b20', policy: 'ANTI_AFFINITY', maxServerPerHost: 2 } as const
const wanted = { amounts: { VCPU: 1, MEMORY_MB: 512 }, instances: [INSTANCE], group: GROUP }

/** The request of a call in the form in which the API receives it. */
async function requestOf(call: Call): Promise<unknown> {
  const sent: unknown[] = []
  const client = createClient({
    url: 'http://service.invalid/graphql',
    async fetch(_url, init) {
      sent.push(JSON.parse(String(init?.body)).variables.input.spec)
      return Response.json({ data: { selectDestinations: { __typename: 'NoValidHost' } } })
    },
  })
  expect(await perform(client, call)).toEqual({ type: 'ok', answer: { type: 'refused' } })
  expect(sent).toHaveLength(1)
  const [{ gantt, nova }] = sent as [{ readonly gantt?: unknown; readonly nova?: unknown }]
  if (nova === undefined) return gantt
  const read = importNovaRequest(nova)
  return read.ok ? read.document : read.problems
}

test.each<readonly [string, Call]>([
  ['a new instance', placing('k', wanted)],
  ['a move', placing('k', { ...wanted, moveOf: { id: 'c', fence: 1 } })],
  [
    "a further attempt in Nova's form",
    placing('k', { ...wanted, moveOf: { id: 'c', fence: 1 }, attempt: { type: 'retry', tried: ['h'], ends: null } }),
  ],
  ['an instance asked for once more', { type: 'again', key: 'k', amounts: wanted.amounts, instance: INSTANCE, group: GROUP }],
])('the request for %s has the instance, the amounts and the group that the history records', async (_what, call) => {
  expect(await requestOf(call)).toMatchObject({
    instanceUuids: [INSTANCE],
    flavor: { vcpus: 1, memoryMb: 512 },
    instanceGroup: GROUP,
  })
})
