import { type HostName, hostKey } from '@gantt/scheduler-core'
import type { LeaseStore } from '../stores/leases.ts'
import type { LivenessSource } from './liveness-source.ts'

const FLUSH_MS = 1_000

export interface ReportsOptions {
  readonly leases: LeaseStore
  /** After a gap of more than this between two reads, signs of life may have been missed. */
  readonly breakMs: number
  warn(message: string): void
}

/** Hosts are alive while they send reports or heartbeats to any replica. Their leases are renewed in batches. */
export function createReportsLiveness({ leases: store, breakMs, warn }: ReportsOptions): LivenessSource {
  let waiting = new Map<string, HostName>()
  let flushing: Promise<void> | undefined
  let hasWarned = false

  const write = async (): Promise<void> => {
    const batch = waiting
    waiting = new Map()
    try {
      await store.renew([...batch.values()])
      hasWarned = false
    } catch (error) {
      for (const [key, host] of batch) waiting.set(key, host)
      if (!hasWarned)
        warn(`signs of life could not be kept, and are tried again: ${error instanceof Error ? error.message : String(error)}`)
      hasWarned = true
    }
  }
  const flush = async (): Promise<void> => {
    while (flushing !== undefined) await flushing
    if (waiting.size === 0) return
    flushing = write().finally(() => {
      flushing = undefined
    })
    await flushing
  }
  const timer = setInterval(() => void flush(), FLUSH_MS)
  timer.unref()

  return {
    name: 'reports',
    heard(hosts) {
      for (const { host, node } of hosts) waiting.set(hostKey({ host, node }), { host, node })
    },
    flush,
    async look(conclude) {
      await flush()
      await store.look(breakMs, async ({ isMine, leases, ...look }) => {
        await conclude({ source: 'reports', ...look, lastOf: await leases() }, isMine)
      })
    },
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}
