import type { Fleet } from '../../fleet/fleet.ts'
import { at } from '../../hosts/columns.ts'
import type { FilterCount } from '../../records/decision.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { HOSTS_AT_ONCE, type Steps } from '../../values/steps.ts'
import type { FilterStep } from './filter-step.ts'
import { passesSafely } from './passes-safely.ts'
import { type Filtered, isAsked, runFiltersInSteps } from './run-filters.ts'

export interface FilteredEach extends Filtered {
  /** The hosts for which the result can differ from that of the previous call. Undefined if it can differ for any host. */
  readonly changed: readonly HostIndex[] | undefined
}

/**
 * Filters the hosts for the instances of a request, one call for each instance. Each result equals that of `runFilters`, which
 * scheduler.suite.ts tests. Filters that read only the host are called again only for hosts that changed. The generator yields after about
 * `slice` calls of filters. No other code may use the fleet until the generator ends.
 */
export function createFiltering(
  steps: readonly FilterStep[],
  fleet: Fleet,
  instances: number,
  slice = HOSTS_AT_ONCE,
): () => Steps<FilteredEach> {
  if (instances === 1)
    return function* () {
      return { ...(yield* runFiltersInSteps(steps, fleet, slice)), changed: undefined }
    }

  const asked = steps.filter(isAsked)
  const orders = [...asked.keys()]
  const alone = orders.filter((order) => asked[order]?.readsHostOnly)
  const beyond = orders.filter((order) => !asked[order]?.readsHostOnly)
  /** Runs the steps with the indexes `among` for a host, up to the first step that refuses the host. */
  const ask = (among: readonly number[], host: HostIndex, verdicts: Verdicts): void => {
    for (const order of among) {
      if (verdicts.refusedBefore(host, order)) return
      const prepared = asked[order]?.prepared
      const verdict = prepared === undefined ? undefined : passesSafely(prepared, host)
      if (verdict !== true) verdicts.set(host, order, verdict === undefined)
    }
  }

  const [aloneAtOnce, beyondAtOnce] = [alone, beyond].map(({ length }) => Math.ceil(slice / Math.max(1, length))) as [number, number]
  const kept = new Verdicts(asked, fleet)
  let versions: Float64Array | undefined
  let hosts = new Int32Array(0)
  return function* () {
    const changed = versions && takeChanged(fleet, versions)
    versions ??= fleet.hosts.columns.version.slice(0, fleet.hosts.count)
    let isSame = changed !== undefined
    const all = fleet.hosts.presentIndexes
    const looked = changed ?? all
    for (let i = 0; i < looked.length; i++) {
      if (i > 0 && i % aloneAtOnce === 0) yield
      const host = looked[i] as HostIndex
      const passed = kept.passed(host)
      kept.pass(host)
      ask(alone, host, kept)
      if (kept.passed(host) !== passed) isSame = false
    }
    if (beyond.length > 0) {
      const verdicts = kept.copy()
      for (let i = 0; i < all.length; i++) {
        if (i > 0 && i % beyondAtOnce === 0) yield
        ask(beyond, all[i] as HostIndex, verdicts)
      }
      return { hosts: verdicts.passing(), steps: verdicts.counts(), changed: undefined }
    }
    if (!isSame) hosts = kept.passing()
    return { hosts, steps: kept.counts(), changed }
  }
}

/** Returns the hosts whose version differs from the one in `versions`, and stores their new versions there. */
function takeChanged({ hosts: { columns } }: Fleet, versions: Float64Array): readonly HostIndex[] {
  const { version } = columns
  const changed: HostIndex[] = []
  for (let host = 0; host < versions.length; host++)
    if (version[host] !== versions[host]) {
      versions[host] = version[host] as number
      changed.push(host as HostIndex)
    }
  return changed
}

/** For each host, the first step that refuses it. For each step, the count of hosts that it refuses first. */
class Verdicts {
  readonly #steps: readonly FilterStep[]
  /**
   * For each host, the index of the first step that refuses it. The value is the count of steps if no step refuses the host, and one more
   * if the host has left the fleet.
   */
  readonly #refusedBy: Uint16Array
  readonly #fleet: Fleet
  /** For each host, 1 if the step in `#refusedBy` failed. */
  readonly #failed: Uint8Array
  readonly #refused: Uint32Array
  readonly #errors: Uint32Array

  constructor(steps: readonly FilterStep[], fleet: Fleet) {
    const { count, presentCount, isWhole, records } = fleet.hosts
    this.#steps = steps
    this.#fleet = fleet
    this.#refusedBy = new Uint16Array(count).fill(steps.length)
    this.#failed = new Uint8Array(count)
    this.#refused = new Uint32Array(steps.length + 1)
    this.#refused[steps.length] = presentCount
    if (!isWhole) for (const { index, gone } of records) if (gone !== null) this.#refusedBy[index] = steps.length + 1
    this.#errors = new Uint32Array(steps.length + 1)
  }

  set(host: HostIndex, order: number, isError: boolean): void {
    this.#count(host, -1)
    this.#refusedBy[host] = order
    this.#failed[host] = isError ? 1 : 0
    this.#count(host, 1)
  }

  pass(host: HostIndex): void {
    this.set(host, this.#steps.length, false)
  }

  passed(host: HostIndex): boolean {
    return at(this.#refusedBy, host) === this.#steps.length
  }

  refusedBefore(host: HostIndex, order: number): boolean {
    return at(this.#refusedBy, host) < order
  }

  /** The hosts that no step refuses, in the order of their indexes. */
  passing(): Int32Array<ArrayBuffer> {
    const hosts = new Int32Array(this.#refused[this.#steps.length] as number)
    let next = 0
    for (let host = 0; next < hosts.length; host++) if (this.#refusedBy[host] === this.#steps.length) hosts[next++] = host
    return hosts
  }

  counts(): readonly FilterCount[] {
    let left = this.#fleet.hosts.presentCount
    return this.#steps.map(({ name }, order) => {
      const entered = left
      const errors = this.#errors[order] as number
      left -= this.#refused[order] as number
      return { filter: name, entered, passed: left, ...(errors > 0 ? { errors } : {}) }
    })
  }

  copy(): Verdicts {
    const copy = new Verdicts(this.#steps, this.#fleet)
    copy.#refusedBy.set(this.#refusedBy)
    copy.#failed.set(this.#failed)
    copy.#refused.set(this.#refused)
    copy.#errors.set(this.#errors)
    return copy
  }

  #count(host: HostIndex, by: 1 | -1): void {
    const order = at(this.#refusedBy, host)
    this.#refused[order] = (this.#refused[order] as number) + by
    this.#errors[order] = (this.#errors[order] as number) + by * at(this.#failed, host)
  }
}
