import { createRandom, type Random } from '@gantt/scheduler-core'
import { batches } from '../../call/batches.ts'
import type { DemoApi, HeldClaim } from './api.ts'
import type { DemoFleet } from './fleet.ts'
import { type DemoRequest, nextRequest } from './requests.ts'
import { statsWith } from './running.ts'

/** The stream of requests. Most of their claims are confirmed, and every claim ends after some further requests. */
export interface Stream {
  /** Places this many requests at once, then confirms or releases the claims that are due. Hosts whose instances changed send a report. */
  step(requests: number): Promise<void>
  /** Sends the report of the next host; all hosts take turns. */
  reportNext(): Promise<void>
  /** Sends reports of these hosts with the instances that run on them. */
  report(hosts: Iterable<string>): Promise<void>
  /** Adds claims of an earlier run. They are then released like all other claims. */
  adopt(claims: readonly HeldClaim[]): void
}

export interface StreamOptions {
  readonly api: DemoApi
  readonly fleet: DemoFleet
  readonly random: Random
  /** The id of this run of the demo. Idempotency keys and reports contain it, and are therefore unique. */
  readonly run: string
  /** The host that sends no reports; undefined if there is none. */
  readonly silent: string | undefined
  /** The mean lifetime of confirmed claims, in requests. */
  readonly meanLifetime: number
}

/** How long a reservation lasts if it is not confirmed. */
const TTL = 'PT5M'
const SHORT_TTL = 'PT30S'
/** A caller that no longer wants its reservation releases the reservation after this many further requests. */
const RELEASE_AFTER = 3
const CLAIMS_PER_CALL = 500
const REPORTS_AT_ONCE = 8

export function createStream({ api, fleet, random, run, silent, meanLifetime }: StreamOptions): Stream {
  const due = { confirm: new Agenda(), release: new Agenda() }
  /** How many requests were placed so far. */
  let now = 0
  let reports = 0
  /** The index of the host that reports next. */
  let turn = 0
  const operations = createRandom(run)
  const byName = new Map(fleet.hosts.map((host) => [host.name, host]))

  const place = async ({ spec, ending, lifetime }: DemoRequest): Promise<void> => {
    const number = now++
    const { claims } = await api.select(spec, `${run}-${number}`, ending === 'forget' ? SHORT_TTL : TTL)
    if (claims.length === 0 || ending === 'forget') return
    if (ending === 'confirm') due.confirm.add(number + 1, claims)
    due.release.add(number + (ending === 'confirm' ? lifetime : RELEASE_AFTER), claims)
  }

  const report = async (names: Iterable<string>): Promise<void> => {
    const hosts = [...new Set(names)].flatMap((name) => (name === silent ? [] : (byName.get(name) ?? [])))
    for (const batch of batches(hosts, REPORTS_AT_ONCE)) {
      const found = await Promise.all(
        batch.map(async ({ name: host, stats }) => ({
          host,
          stats: statsWith({ ...stats, numIoOps: operations.below(6) }, await api.running(host)),
        })),
      )
      await api.report(found.map((one) => ({ ...one, incarnation: run, sequence: ++reports })))
    }
  }

  return {
    async step(requests) {
      const options = { meanLifetime, licensedHosts: fleet.licensed.length }
      await Promise.all(Array.from({ length: requests }, () => nextRequest(random, options)).map(place))
      const [confirmed, released] = [due.confirm.take(now), due.release.take(now)]
      for (const claims of batches(confirmed, CLAIMS_PER_CALL)) await api.confirm(claims)
      for (const claims of batches(released, CLAIMS_PER_CALL)) await api.release(claims)
      await report([...confirmed, ...released].map(({ host }) => host))
    },

    async reportNext() {
      const host = fleet.hosts[turn++ % fleet.hosts.length]
      if (host !== undefined) await report([host.name])
    },

    report,

    adopt(claims) {
      for (const claim of claims) due.release.add(now + random.below(2 * meanLifetime), [claim])
    },
  }
}

/** Claims, grouped by the index of the request at which they are confirmed or released. */
class Agenda {
  readonly #claims = new Map<number, HeldClaim[]>()
  #taken = 0

  add(at: number, claims: readonly HeldClaim[]): void {
    const time = Math.max(at, this.#taken + 1)
    this.#claims.set(time, [...(this.#claims.get(time) ?? []), ...claims])
  }

  /** Removes and returns every claim that is due by now. */
  take(now: number): readonly HeldClaim[] {
    const claims: HeldClaim[] = []
    for (let time = this.#taken + 1; time <= now; time++) {
      claims.push(...(this.#claims.get(time) ?? []))
      this.#claims.delete(time)
    }
    this.#taken = Math.max(this.#taken, now)
    return claims
  }
}
