import type { HostStats } from '../report/stats.ts'

/** The traits of hosts as sets, one for all hosts with the same traits: a reader of all hosts then examines each set once. */
export class TraitSets {
  #characters = 0
  readonly #sets = new Map<string, { readonly traits: readonly string[]; readonly set: ReadonlySet<string> }>()

  of({ traits }: HostStats): ReadonlySet<string> {
    const key = traits.join()
    const known = this.#sets.get(key)
    // A name may have a comma in it.
    if (known?.traits.length === traits.length && known.traits.every((trait, i) => trait === traits[i])) return known.set
    // Where each host has different traits there is nothing to share.
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
/** The most characters of the traits of all of them: hosts choose how many and how long. */
const MOST_TRAIT_CHARACTERS = 4_000_000
