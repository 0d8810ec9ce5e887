import type { HostStats } from '../report/stats.ts'

/** The traits of hosts as sets. All hosts with the same traits share one set, so that a loop over all hosts examines each set once. */
export class TraitSets {
  #characters = 0
  readonly #sets = new Map<string, { readonly traits: readonly string[]; readonly set: ReadonlySet<string> }>()

  of({ traits }: HostStats): ReadonlySet<string> {
    const key = traits.join()
    const known = this.#sets.get(key)
    // the names are compared too, because a name may contain a comma
    if (known?.traits.length === traits.length && known.traits.every((trait, i) => trait === traits[i])) return known.set
    // if every host has different traits, sets cannot be shared
    if (this.#sets.size >= MOST_TRAIT_SETS || this.#characters + key.length > MOST_TRAIT_CHARACTERS) {
      this.#sets.clear()
      this.#characters = 0
    }
    this.#characters += key.length
    const set = new Set(traits)
    this.#sets.set(key, { traits, set })
    return set
  }
}
const MOST_TRAIT_SETS = 1_000
/** The maximum total length of the traits in sets. It is limited because hosts choose the number and length of their traits. */
const MOST_TRAIT_CHARACTERS = 4_000_000
