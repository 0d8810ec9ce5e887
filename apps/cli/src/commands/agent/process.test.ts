import { type AgentEvent, runAgent } from '@gantt/agent'
import { createGantt, systemClock } from '@gantt/client'
import { describe, expect, test } from 'vitest'
import { ADMIN_KEY } from '../../../../../packages/proofs/src/processes/service.ts'
import { useOwnService } from '../../testing/own-service.ts'
import { offer, seenBy, thisMachine } from './testing/machine.ts'

const own = useOwnService({ withFleet: false })
const seen = (name: string) => seenBy(own, name)

describe('an agent from start to stop', () => {
  const bell = (): { readonly rung: Promise<void>; ring(): void } => {
    let ring = (): void => undefined
    const rung = new Promise<void>((resolve) => {
      ring = resolve
    })
    return { rung, ring: () => ring() }
  }

  /** Starts an agent that reads the machine only when the test calls `look`. */
  function startAgent(host: string, key: () => string) {
    const stop = new AbortController()
    const events: AgentEvent[] = []
    let picture = thisMachine
    /** How many readings of the machine the test has triggered that the agent has not made yet. */
    let looks = 0
    let wake = bell()
    let heard = bell()
    const ended = runAgent({
      gantt: createGantt({ url: own.service.url, key }),
      name: { host },
      offer: { ...offer, nodeName: host },
      look: () => picture,
      intervalMs: 10_000,
      signal: stop.signal,
      notify: (event) => {
        events.push(event)
        heard.ring()
        heard = bell()
      },
      clock: {
        now: systemClock.now,
        wait: async (_ms, signal) => {
          signal?.throwIfAborted()
          const isLook = signal === stop.signal
          const aborted = (): Promise<never> =>
            new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }))
          if (!isLook || looks === 0) await Promise.race([wake.rung, aborted()])
          if (isLook) looks--
        },
      },
    })
    return {
      /** Waits for the first event of this kind that no earlier call returned. */
      async next<Kind extends AgentEvent['event']>(kind: Kind): Promise<Extract<AgentEvent, { event: Kind }>> {
        for (;;) {
          const at = events.findIndex(({ event }) => event === kind)
          if (at >= 0) return events.splice(at, 1)[0] as Extract<AgentEvent, { event: Kind }>
          await heard.rung
        }
      },
      look: (next = picture) => {
        picture = next
        looks++
        wake.ring()
        wake = bell()
      },
      end: async () => {
        stop.abort()
        await ended
        return events.at(-1)?.event
      },
    }
  }

  const createKey = async (name: string, scopes: readonly string[]): Promise<string> => {
    const CREATE_KEY = 'mutation ($input: ApiKeyCreateInput!) { apiKeyCreate(input: $input) { ... on ApiKeyPayload { secret } } }'
    const { apiKeyCreate } = await own.service.client.request<{ apiKeyCreate: { secret: string } }>(CREATE_KEY, {
      input: { name, account: 'agents', scopes },
    })
    return apiKeyCreate.secret
  }

  test('claims are checked when the machine shrinks and when a claim is released', async () => {
    const agent = startAgent('run-1', () => ADMIN_KEY)
    await agent.next('reported')
    const gantt = createGantt({ url: own.service.url, key: ADMIN_KEY })
    const spec = { gantt: { flavor: { vcpus: 2, memoryMb: 128 }, forceHosts: ['run-1'] } }
    const placed = await gantt.selectDestinations({ spec, claim: { mode: 'CONFIRM' } })
    const claim = placed.__typename === 'SelectDestinationsPayload' ? placed.destinations[0]?.selected.claim : undefined
    if (!claim) throw new Error(JSON.stringify(placed))
    agent.look({ ...thisMachine, cpuCount: { value: 1 } })
    expect((await agent.next('claims.over_limit')).overLimits).toEqual([
      { what: 'VCPU', unit: 'CPUs', held: 2, limit: 1, claims: [claim.id] },
    ])
    await gantt.release([claim])
    expect(await agent.next('claims.fit')).toEqual({ event: 'claims.fit', claims: 0 })
    expect(await agent.end()).toBe('counts')
  })

  test('an agent whose key is unknown at first reports and checks claims once the key is valid', async () => {
    let key = 'gantt_not-known-yet'
    const agent = startAgent('run-2', () => key)
    await agent.next('failed')
    await agent.next('claims.unchecked')
    key = ADMIN_KEY
    agent.look()
    agent.look()
    await Promise.all([agent.next('reported'), agent.next('claims.fit')])
    await agent.end()
  })

  test('an agent without the READ scope reports that it cannot check claims, and still sends reports', async () => {
    const key = await createKey('reports-only', ['REPORT'])
    const agent = startAgent('run-3', () => key)
    await agent.next('reported')
    expect((await agent.next('claims.unchecked')).text).toMatch(/READ/)
    // A second report, with only the fields that profiles need, follows right after the first.
    await agent.next('reported')
    agent.look({ ...thisMachine, cpuCount: { value: 77 } })
    await agent.next('reported')
    expect((await seen('run-3'))?.stats.vcpus).toBe(77)
    await agent.end()
  })
})
