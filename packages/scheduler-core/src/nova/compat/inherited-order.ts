import { SHORT } from '../../pipeline/weighing/pick.ts'
import type { TotalScores } from '../../pipeline/weighing/total-scores.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { NumberBuffers } from '../../values/number-buffers.ts'
import { type Steps, sortIndexesInSteps } from '../../values/steps.ts'

/** The weights of this many rounds are compared. The rounds before them are one order. */
const MAX_ROUNDS = 16

interface Weights {
  /** For each host that passed the round, its weight. */
  readonly byHost: Float64Array
  /** The host that was moved to the front. -1 if none was. */
  readonly first: number
}

type Weighed = Pick<TotalScores, 'hosts' | 'totals'>

/**
 * The order of hosts in rounds of Nova's algorithm. Each round sorts the hosts of the round before by their weights, and moves the chosen
 * host to the front. Hosts with equal weights keep their order. No round is sorted here, because only its best hosts are needed: hosts with
 * equal weights are compared by their weights in the rounds before.
 */
export class InheritedOrder {
  #rounds: Weights[] = []
  /** Lists of rounds that are no longer compared. */
  readonly #free: Float64Array[] = []

  /** True if the host `a` comes before the host `b` after the rounds that were added. */
  #isBefore(a: number, b: number): boolean {
    for (let i = this.#rounds.length - 1; i >= 0; i--) {
      const { byHost, first } = this.#rounds[i] as Weights
      if (first === a) return true
      if (first === b) return false
      const [one, other] = [byHost[a] as number, byHost[b] as number]
      if (one !== other) return one > other
    }
    return a < b
  }

  /** Adds a round that chose the host `first`. `buffers` must not end before the order is used for the last time. */
  *add({ hosts, totals }: Weighed, first: HostIndex, buffers: NumberBuffers, count: number): Steps<void> {
    const byHost = this.#free.pop() ?? buffers.take(count)
    for (let i = 0; i < hosts.length; i++) byHost[hosts[i] as number] = totals[i] as number
    this.#rounds.push({ byHost, first })
    if (this.#rounds.length < MAX_ROUNDS) return
    const order = yield* sortIndexesInSteps(hosts.length, (a, b) => this.#isBefore(hosts[a] as number, hosts[b] as number))
    const [oldest, ...others] = this.#rounds.map((round) => round.byHost) as [Float64Array, ...Float64Array[]]
    this.#free.push(...others)
    for (let rank = 0; rank < order.length; rank++) oldest[hosts[order[rank] as number] as number] = -rank
    this.#rounds = [{ byHost: oldest, first: -1 }]
  }

  /** The `count` best hosts of a round as positions in its lists, best first. All hosts if there are fewer. */
  *best({ hosts, totals }: Weighed, count: number): Steps<readonly number[]> {
    const isBefore = (a: number, b: number): boolean => {
      const [one, other] = [totals[a] as number, totals[b] as number]
      return one === other ? this.#isBefore(hosts[a] as number, hosts[b] as number) : one > other
    }
    if (count > SHORT) return [...(yield* sortIndexesInSteps(hosts.length, isBefore))].slice(0, count)
    const ranked: number[] = []
    let least = Number.NEGATIVE_INFINITY
    for (let i = 0; i < hosts.length; i++) {
      if ((totals[i] as number) < least) continue
      if (ranked.length === count && !isBefore(i, ranked[count - 1] as number)) continue
      let position = ranked.length === count ? count - 1 : ranked.length
      for (; position > 0 && isBefore(i, ranked[position - 1] as number); position--) ranked[position] = ranked[position - 1] as number
      ranked[position] = i
      if (ranked.length === count) least = totals[ranked[count - 1] as number] as number
    }
    return ranked
  }
}
