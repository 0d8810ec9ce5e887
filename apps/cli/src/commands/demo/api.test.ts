import { createGantt } from '@gantt/client'
import { expect, test } from 'vitest'
import { createDemoApi, type DemoApi } from './api.ts'

const BUSY = { errors: [{ message: 'No answer in time.', extensions: { code: 'DEADLINE_EXCEEDED', retryable: true } }] }
const BROKEN = { errors: [{ message: 'Not like this.', extensions: { code: 'BAD_USER_INPUT', retryable: false } }] }

/** The demo's client, connected to a service that returns these answers in turn. Also counts the answers returned so far. */
function aService(...answers: readonly unknown[]): { readonly api: DemoApi; given: number } {
  const service = { given: 0 }
  const fetch = async () => Response.json(answers[service.given++])
  const api = createDemoApi(createGantt({ url: 'http://demo.invalid/graphql', fetch, random: () => 0 }), new AbortController().signal, {
    random: () => 0,
  })
  return Object.assign(service, { api })
}

test('a call that the service was too busy to answer is retried', async () => {
  const service = aService(BUSY, BUSY, { data: { claimRelease: [{ __typename: 'ClaimPayload' }] } })
  await service.api.release([{ id: 'c', fence: 1 }])
  expect(service.given).toBe(3)
})

test('a call that the service refused is not retried', async () => {
  const service = aService(BROKEN)
  await expect(service.api.release([{ id: 'c', fence: 1 }])).rejects.toThrow('Not like this.')
  expect(service.given).toBe(1)
})

test('an edit of an aggregate is not retried automatically, because it may have taken effect', async () => {
  const service = aService(BUSY)
  await expect(service.api.addHosts({ uuid: 'u', version: 1 }, ['h'])).rejects.toThrow('No answer in time.')
  expect(service.given).toBe(1)
})
