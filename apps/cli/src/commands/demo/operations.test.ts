import { createGantt } from '@gantt/client'
import { expect, test } from 'vitest'
import { ADMIN_KEY } from '../../../../../packages/proofs/src/processes/service.ts'
import { useOwnService } from '../../testing/own-service.ts'
import { createDemoApi, type DemoApi } from './api.ts'
import { demoFleet } from './fleet.ts'
import { operate, operationsOf } from './operations.ts'
import { setUpFleet } from './set-up.ts'

const own = useOwnService({ withFleet: false })

const CLAIMS = `query Claims($query: String!) { claims(first: 500, query: $query) { nodes { state instanceUuid movingTo { id } moveOf { id } } } }`

interface Seen {
  readonly claims: { readonly nodes: readonly { state: string; instanceUuid: string; movingTo: object | null; moveOf: object | null }[] }
}

/** The calls of a demo that is killed before a call that `isLast` accepts. */
const killedAt = (api: DemoApi, isLast: (call: string, input: unknown) => boolean): DemoApi => {
  const stopAt = (call: string, input: unknown): void => {
    if (isLast(call, input)) throw new Error('the demo is killed')
  }
  return {
    ...api,
    ask: (document, ...variables) => {
      stopAt('ask', JSON.stringify(variables))
      return api.ask(document, ...variables)
    },
    confirm: (claims) => {
      stopAt('confirm', claims.length)
      return api.confirm(claims)
    },
  }
}

test.each([
  ['before the group’s claims are confirmed', '1', (call: string, input: unknown) => call === 'confirm' && input === 3],
  ['before the move', '2', (call: string, input: unknown) => call === 'ask' && String(input).includes('LIVE_MIGRATE')],
])('a demo that was killed %s makes the move at its next start, and only once', async (_when, seed, isLast) => {
  const api = createDemoApi(createGantt({ url: own.service.url, key: ADMIN_KEY }), new AbortController().signal)
  const fleet = demoFleet({ hosts: 30, seed: '1' })
  await setUpFleet(api, fleet, () => undefined)
  const operations = { ...operationsOf(fleet, seed), emptied: undefined }
  const seen = async () => {
    const { claims } = await own.service.client.request<Seen>(CLAIMS, { query: `group:${operations.group}` })
    const live = claims.nodes.filter(({ moveOf }) => moveOf === null)
    return {
      states: live.map(({ state }) => state),
      moving: live.filter(({ movingTo }) => movingTo !== null).map((one) => one.instanceUuid),
    }
  }

  await expect(operate(killedAt(api, isLast), operations, seed)).rejects.toThrow('the demo is killed')
  expect(await seen()).toMatchObject({ moving: [] })
  for (const _start of ['next', 'one after']) {
    await operate(api, operations, seed)
    expect(await seen()).toEqual({ states: ['CONFIRMED', 'CONFIRMED', 'CONFIRMED'], moving: operations.instances.slice(0, 1) })
  }
})
