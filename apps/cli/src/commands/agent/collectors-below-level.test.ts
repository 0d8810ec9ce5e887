import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { collectorProcesses } from '../../../../../testing/collector-processes.ts'
import { useOwnService } from '../../testing/own-service.ts'
import { createLab, fastClock, steady, writeLabPlugin } from './testing/lab.ts'

// Collectors whose states the service does not take: its feature level is lower than that of the states, or it is older.

const folder = mkdtempSync(path.join(tmpdir(), 'gantt-collectors-below-'))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  expect(collectorProcesses()).toEqual([])
})

const settings = { GANTT_PLUGINS: `trusted:${writeLabPlugin(folder)}`, GANTT_FEATURE_LEVEL: '10' }
const own = useOwnService({ withFleet: false, settings })
const { documentOf, collectorOf, createProfile, startAgent } = createLab(own, folder)

test('the agent learns within 20 seconds that a profile reads a namespace, without reading the machine, and sends it', async () => {
  const agent = startAgent('below', { unread: steady }, { clock: fastClock, intervalMs: 3_600_000 })
  const asked = (): number => agent.events.filter((event) => event.event === 'reported' && event.form === 'question').length
  try {
    await expect.poll(() => agent.logged('unread').map(({ state }) => state)).toEqual(['PAUSED'])
    await expect.poll(asked).toBeGreaterThan(1)
    expect(await documentOf('below', 'unread')).toBeUndefined()
    await createProfile('reader', ['UnreadWeigher'])
    await expect.poll(() => documentOf('below', 'unread')).toEqual({ watts: 5 })
    await expect.poll(() => agent.logged('unread').map(({ state }) => state)).toEqual(['PAUSED', 'SENDING'])
    // the states are not reported, which is logged once
    expect(await collectorOf('below', 'unread')).toBeUndefined()
    const unsent = agent.events.flatMap((event) => (event.event === 'collector.unsent' ? [event] : []))
    expect(unsent).toEqual([{ event: 'collector.unsent', namespace: 'collectors', text: expect.stringMatching(/level/i) }])
  } finally {
    await agent.end()
  }
})

test('if the answers of the service do not list what is read, all collectors are run, and their documents are sent', async () => {
  const withoutList: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    // a stream of events has no end
    if (!response.headers.get('content-type')?.includes('json')) return response
    const answer = JSON.stringify(await response.json(), (key, value) => (key === 'required' ? undefined : value))
    return new Response(answer, { status: response.status, headers: { 'Content-Type': 'application/json' } })
  }
  const agent = startAgent('older', { slow: steady }, { fetch: withoutList })
  try {
    await expect.poll(() => documentOf('older', 'slow')).toEqual({ watts: 5 })
    expect(agent.logged('slow').map(({ state }) => state)).toEqual(['SENDING'])
    // the answers indeed have no list: otherwise the agent would leave out fields that no profile needs
    expect(agent.events.map(({ event }) => event)).not.toContain('required')
  } finally {
    await agent.end()
  }
})
