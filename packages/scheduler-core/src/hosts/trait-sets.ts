import type { HostStats } from '../report/stats.ts'

/** The traits of hosts as sets. Hosts with the same traits share one set, so that a loop over all hosts can skip a set that it has seen. */
export class TraitSets {
  #characters = 0
  readonly #sets = new Map<string, { readonly traits: readonly string[]; readonly set: ReadonlySet<string> }>()

  of({ traits }: HostStats): ReadonlySet<string> {
    const key = traits.join()
    const known = this.#sets.get(key)
    // the traits are compared in addition to the key, because a trait can contain a comma
    if (known?.traits.length === traits.length && known.traits.every((trait, i) => trait === traits[i])) return known.set
    // the sets are dropped when they need too much memory, which happens if most hosts have different traits
    if (this.#sets.size >= MAX_TRAIT_SETS || this.#characters + key.length > MAX_TRAIT_CHARACTERS) {
      this.#sets.clear()
      this.#characters = 0
    }
    this.#characters += key.length
    const set = new Set(traits)
    this.#sets.set(key, { traits, set })
    return set
  }
}
const MAX_TRAIT_SETS = 1_000
/**
 * The maximum total length of the traits in all sets, in characters. The length is limited, because hosts choose the count and length of
 * their traits.
 */
const MAX_TRAIT_CHARACTERS = 4_000_000
