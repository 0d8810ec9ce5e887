import { type HostName, hostKey, type Lease, type LeaseProvider, type Leases } from '@gantt/scheduler-core'
import type { LeaseStore } from '../stores/leases.ts'
import { realTimers } from '../timers.ts'
import type { LivenessSource } from './liveness-source.ts'

/** The timeout of a provider's call in milliseconds. */
export const PROVIDER_LIMIT_MS = 5_000

export interface ProvidedOptions {
  /** Stores which replica evaluates signs of life, and since when. The leases are in the provider. */
  readonly store: LeaseStore
  /** After a gap of more than this between two reads, signs of life may have been missed. */
  readonly breakMs: number
  readonly provider: LeaseProvider
  /** Counts and logs that the provider violated its contract, and returns an error that describes the violation. */
  fail(what: string): Error
  /** Default: PROVIDER_LIMIT_MS. */
  readonly limitMs?: number
}

/**
 * Signs of life from the provider of a plug-in. The provider is called before a check begins. If it throws, is late or returns an invalid
 * answer, the check is skipped and hosts keep their state. When it answers again after a gap, the silence during the gap is ignored. Throws
 * the result of `fail` if the provider cannot be opened.
 */
export async function openProvidedLiveness({
  store,
  breakMs,
  provider,
  fail,
  limitMs = PROVIDER_LIMIT_MS,
}: ProvidedOptions): Promise<LivenessSource> {
  const waiting = new Set<string>()
  /** The provider's answer within the time limit. A provider that has not answered yet is not called again. */
  const ask = async <Answer>(what: string, call: () => PromiseLike<Answer> | Answer): Promise<Answer> => {
    if (waiting.has(what)) throw fail(`${what}: the previous call has not ended`)
    waiting.add(what)
    const asked = (async () => call())().finally(() => waiting.delete(what))
    let stop: (() => void) | undefined
    const late = new Promise<never>((_resolve, reject) => {
      stop = realTimers.after(limitMs, () => reject(new Error(`it did not end within ${limitMs} ms`)))
    })
    try {
      return await Promise.race([asked, late])
    } catch (error) {
      throw fail(`${what}: ${error instanceof Error ? error.message : `a value of type ${typeof error} was thrown`}`)
    } finally {
      stop?.()
    }
  }
  const leases: Leases = await ask('open', () => provider.open())
  if (typeof leases?.list !== 'function') throw fail('open returned no leases; it must return an object with list')
  /** Ignores an error, because `fail` has already counted and logged it. */
  const ignored = (): void => undefined
  const flush = async (): Promise<void> => {
    if (leases.flush !== undefined) await ask('flush', () => leases.flush?.()).catch(ignored)
  }
  return {
    name: provider.name,
    heard(hosts) {
      try {
        leases.heard?.([...hosts].map(({ host, node }) => ({ host, node })))
      } catch (error) {
        fail(`heard: ${error instanceof Error ? error.message : `a value of type ${typeof error} was thrown`}`)
      }
    },
    flush,
    async look(conclude) {
      const ages = agesOf(await ask<unknown>('list', () => leases.list()), fail)
      await store.look(breakMs, async ({ isMine, now, listeningSince }) => {
        const lastOf = (host: HostName): number | undefined => {
          const age = ages.get(hostKey(host))
          // no host reported before 1970, so a provider that returns a huge age means "never"
          return age === undefined ? undefined : Math.max(0, now - age)
        }
        await conclude({ source: provider.name, now, listeningSince, lastOf }, isMine)
      })
    },
    async close() {
      await flush()
      if (leases.close !== undefined) await ask('close', () => leases.close?.()).catch(ignored)
    },
  }
}

/**
 * The smallest age of each host, or an error if any part of the list is invalid, because a missing part would look like silence of its
 * hosts.
 */
function agesOf(list: unknown, fail: ProvidedOptions['fail']): ReadonlyMap<string, number> {
  if (!Array.isArray(list)) throw fail(`list returned a value of type ${typeof list}; it must return a list of leases`)
  const ages = new Map<string, number>()
  for (const [i, lease] of list.entries()) {
    if (!isLease(lease))
      throw fail(`list returned an invalid lease ${i}; it must have host, node, and heardMsAgo, a number that is 0 or more`)
    const key = hostKey(lease)
    ages.set(key, Math.min(ages.get(key) ?? Number.POSITIVE_INFINITY, lease.heardMsAgo))
  }
  return ages
}

function isLease(lease: unknown): lease is Lease {
  if (lease === null || typeof lease !== 'object') return false
  const { host, node, heardMsAgo } = lease as Readonly<Record<string, unknown>>
  return (
    typeof host === 'string' && typeof node === 'string' && typeof heardMsAgo === 'number' && Number.isFinite(heardMsAgo) && heardMsAgo >= 0
  )
}
