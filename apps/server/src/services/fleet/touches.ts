/** The end of the list. */
const NONE = -1
const FIRST_LENGTH = 1_024

/**
 * The hosts that entries of the log touched, in the order of their last touch. All streams share it: an entry that touches every host is
 * recorded once, and each stream only stores from which touch on it has to read.
 */
export class Touches {
  /** For each ordinal of a host, the number of the last touch. */
  #last = new Float64Array(FIRST_LENGTH)
  /** A doubly linked list of ordinals. */
  #older = new Int32Array(FIRST_LENGTH).fill(NONE)
  #newer = new Int32Array(FIRST_LENGTH).fill(NONE)
  #newest = NONE
  #count = 0

  /** Records that the hosts were touched. Returns the number of this touch, which is higher than that of every earlier touch. */
  touch(ordinals: readonly number[]): number {
    const count = ++this.#count
    for (const ordinal of ordinals) {
      if (ordinal >= this.#last.length) this.#grow(ordinal + 1)
      if (this.#last[ordinal] !== 0) this.#remove(ordinal)
      this.#last[ordinal] = count
      this.#older[ordinal] = this.#newest
      this.#newer[ordinal] = NONE
      if (this.#newest !== NONE) this.#newer[this.#newest] = ordinal
      this.#newest = ordinal
    }
    return count
  }

  /** The ordinals of the hosts that this touch or a later one concerned, the last touched first. The work is one step for each of them. */
  since(touch: number): number[] {
    const ordinals: number[] = []
    for (let at = this.#newest; at !== NONE && (this.#last[at] as number) >= touch; at = this.#older[at] as number) ordinals.push(at)
    return ordinals
  }

  #remove(ordinal: number): void {
    const [older, newer] = [this.#older[ordinal] as number, this.#newer[ordinal] as number]
    if (older !== NONE) this.#newer[older] = newer
    if (newer !== NONE) this.#older[newer] = older
    else this.#newest = older
  }

  #grow(least: number): void {
    const length = Math.max(least, this.#last.length * 2)
    const last = new Float64Array(length)
    last.set(this.#last)
    this.#last = last
    this.#older = longer(this.#older, length)
    this.#newer = longer(this.#newer, length)
  }
}

function longer(links: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(length).fill(NONE)
  grown.set(links)
  return grown
}
