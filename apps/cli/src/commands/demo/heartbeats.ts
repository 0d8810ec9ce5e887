import { setTimeout as sleep } from 'node:timers/promises'
import { graphql } from '@gantt/client'
import { batches } from '../../call/batches.ts'
import type { DemoApi } from './api.ts'

/** The interval in milliseconds. It is well below the time of silence after which a host becomes SUSPECT. */
const EVERY_MS = 15_000
const HOSTS_PER_CALL = 1_000

const HEARTBEAT = graphql(`mutation Beat($hosts: [ResourceNameInput!]!) { hostHeartbeat(hosts: $hosts) { heard } }`)

/** Sends heartbeats of the hosts until the demo ends. A failure that repeats is printed only once. */
export async function keepHeartbeats(
  api: DemoApi,
  names: readonly string[],
  stopped: AbortSignal,
  say: (line: string) => void,
): Promise<void> {
  let lastError = ''
  while (!stopped.aborted) {
    try {
      for (const batch of batches(names, HOSTS_PER_CALL)) await api.ask(HEARTBEAT, { hosts: batch.map((host) => ({ host })) })
      lastError = ''
    } catch (error) {
      if (stopped.aborted) return
      const message = error instanceof Error ? error.message : String(error)
      if (message !== lastError) say(`The heartbeats of the demo failed: ${message}`)
      lastError = message
    }
    await sleep(EVERY_MS, undefined, { signal: stopped }).catch(() => undefined)
  }
}
