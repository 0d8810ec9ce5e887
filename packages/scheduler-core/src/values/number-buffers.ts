/** At most this many unused arrays of a size are kept. */
const MAX_FREE = 32

/** The unused arrays, by the logarithm of their length to the base 2. */
const free: Float64Array<ArrayBuffer>[][] = []

/**
 * Arrays of numbers for one calculation over all hosts. The arrays are used again by later calculations, because getting and clearing new
 * memory for each decision takes longer than many decisions do.
 */
export class NumberBuffers {
  readonly #taken: Float64Array<ArrayBuffer>[] = []

  /** An array of this length. Its numbers are those of an earlier calculation. It must not be used after `end`. */
  take(length: number): Float64Array<ArrayBuffer> {
    const size = sizeFor(length)
    const buffer = free[size]?.pop() ?? new Float64Array(2 ** size)
    this.#taken.push(buffer)
    return buffer.subarray(0, length)
  }

  /** Gives all arrays back. Called in a `finally` block. Arrays that are not given back are garbage. */
  end(): void {
    for (const buffer of this.#taken.splice(0)) {
      const size = sizeFor(buffer.length)
      free[size] ??= []
      const list = free[size]
      if (list.length < MAX_FREE) list.push(buffer)
    }
  }
}

const sizeFor = (length: number): number => 32 - Math.clz32(Math.max(1, length) - 1)
