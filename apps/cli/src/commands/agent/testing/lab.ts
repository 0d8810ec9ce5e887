import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AgentEvent, readCollectorSettings, runAgent } from '@gantt/agent'
import { type Clock, createGantt, systemClock } from '@gantt/client'
import { expect } from 'vitest'
import { ADMIN_KEY } from '../../../../../../packages/proofs/src/processes/service.ts'
import type { OwnService } from '../../../testing/own-service.ts'
import { offer, thisMachine } from './machine.ts'

/** Each collector has a namespace of its own, because a host has one collector for a namespace. */
const namespaces = [
  'steady',
  'hangs',
  'floods',
  'halves',
  'crashes',
  'greedy',
  'foreign',
  'unsafe',
  'unplain',
  'changed',
  'versions',
  'unread',
  'slow',
  'shifts',
]
const door = fileURLToPath(new URL('../../../../../../packages/scheduler-core/dist/plugin/index.js', import.meta.url))
const reading = (noun: string, names: readonly string[]) => `{ name: '${noun}', description: 'd', unit: 'W',
  reads: ${JSON.stringify(names.map((name) => `${name}.watts`))}, prepare: (request, fleet) => (host) =>
    fleet.hosts.get(host).namespaces.get('${names[0]}').document.watts }`
/** Writes the plug-in with these namespaces into a folder, and returns its path. */
export function writeLabPlugin(folder: string): string {
  const plugin = path.join(folder, 'lab.mjs')
  writeFileSync(
    plugin,
    `import { z } from ${JSON.stringify(`file://${door}`)}
const of = (name) => ({ name, description: 'd', version: '1.0', maxAgeSeconds: 60, document: z.strictObject({ watts: z.int().min(0) }) })
export default { contract: 1, name: 'lab', version: '1.0.0', description: 'd', namespaces: ${JSON.stringify(namespaces)}.map(of),
  weighers: [${reading('ReadWeigher', namespaces.slice(0, 11))}, ${reading('UnreadWeigher', ['unread'])}, ${reading('ShiftsWeigher', ['shifts'])}],
  filters: [{ name: 'UnreadFilter', description: 'd', reads: ['unread.watts'], prepare: () => ({ passes: () => true, reason: () => ({ code: 'filter.refused' }) }) }] }`,
  )
  return plugin
}

interface SeenCollector {
  readonly name: string
  readonly state: string
  readonly intervalSeconds: number | null
  readonly error: { readonly code: string; readonly message: string } | null
  readonly lastGoodAt: string | null
}
interface Seen {
  readonly collectors: readonly SeenCollector[]
  readonly namespaces: readonly { readonly namespace: string; readonly document: unknown; readonly ageSeconds: number }[]
}
/** A script that prints its document. The text of a script is a program for `node -e`. */
export const prints = (output: unknown): string => `process.stdout.write(${JSON.stringify(JSON.stringify(output))})`
export const steady = prints({ version: '1.0', document: { watts: 5 } })

/** A clock on which waits are a twentieth as long as they are requested. */
export const fastClock: Clock = {
  now: () => systemClock.now() * 20,
  wait: (ms, signal) => systemClock.wait(ms / 20, signal),
}

/** Agents with collectors, and what a service knows about them. Files of the agents are in the folder. */
export function createLab(own: OwnService, folder: string) {
  const SEEN = `query Seen($name: String!) { host(name: $name) {
  collectors { name state intervalSeconds lastGoodAt outdated error { code message } } namespaces { namespace document ageSeconds } } }`
  const seen = async (name: string): Promise<Seen> =>
    (await own.service.client.request<{ host: Seen | null }>(SEEN, { name })).host ?? { collectors: [], namespaces: [] }
  const collectorOf = async (host: string, name: string): Promise<SeenCollector | undefined> =>
    (await seen(host)).collectors.find((one) => one.name === name)
  const documentOf = async (host: string, name: string): Promise<unknown> =>
    (await seen(host)).namespaces.find(({ namespace }) => namespace === name)?.document

  const createProfile = async (name: string, weighers: readonly string[], filters: readonly string[] = []): Promise<void> => {
    const input = {
      note: '',
      filters: ['ComputeFilter', ...filters].map((filter) => ({ name: filter })),
      weighers: weighers.map((weigher) => ({ name: weigher, multiplier: 1 })),
    }
    const CREATE =
      'mutation ($name: String!, $input: ProfileVersionInput!) { profileVersionCreate(profile: $name, input: $input) { __typename ... on UserError { message } } }'
    expect(await own.service.client.request(CREATE, { name, input })).toEqual({ profileVersionCreate: { __typename: 'ProfilePayload' } })
  }

  /** Starts an agent with collectors: each is the name of its namespace, and its script or its settings. */
  function startAgent(
    host: string,
    collectors: Readonly<Record<string, string | Readonly<Record<string, unknown>>>>,
    { clock = systemClock, fetch = globalThis.fetch, intervalMs = 5_000 } = {},
  ) {
    const file = path.join(folder, `${host}.json`)
    const list = Object.entries(collectors).map(([name, one]) => ({
      ...{ name, namespace: name, intervalSeconds: 1, timeoutSeconds: 60 },
      ...(typeof one === 'string' ? { command: [process.execPath, '-e', one] } : one),
    }))
    writeFileSync(file, JSON.stringify({ collectors: list }))
    const stop = new AbortController()
    const events: AgentEvent[] = []
    const ended = runAgent({
      gantt: createGantt({ url: own.service.url, key: ADMIN_KEY, fetch }),
      name: { host },
      offer: { ...offer, nodeName: host },
      look: () => thisMachine,
      intervalMs,
      notify: (event) => void events.push(event),
      signal: stop.signal,
      collectors: readCollectorSettings(file),
      clock,
    })
    return {
      events,
      logged: (name: string) => events.flatMap((event) => (event.event === 'collector' && event.collector === name ? [event] : [])),
      end: async () => {
        stop.abort()
        await ended
      },
    }
  }

  return { seen, collectorOf, documentOf, createProfile, startAgent }
}
