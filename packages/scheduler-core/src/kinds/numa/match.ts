/** A set of cells is stored as bits in this many 32-bit words. No host or guest has more than 64 cells. */
const WORDS = 2
const BITS = 32

/** A bipartite matching of guest cells to host cells. Guest cells and host cells are identified by their index. */
export interface Matcher {
  /** Removes all allowed pairs and sets the counts of guest cells and host cells. */
  reset(guests: number, cells: number): void
  allow(guest: number, cell: number): void
  /** Allows the guest cell the same host cells as the guest cell `from`. */
  copyRow(guest: number, from: number): void
  allows(guest: number, cell: number): boolean
  /** Returns how many guest cells can each have a separate host cell. */
  match(): number
  /**
   * The host cell of each guest cell. Each guest cell gets the first host cell that leaves a host cell for every later guest cell. Must be
   * called after `match` has matched all guest cells.
   */
  firstChoice(): number[]
  /**
   * The first complete match that `wish` accepts. Undefined if none is found. `isCut` is true if the search stopped after `maxSteps`. Must
   * be called after `match` has matched all guest cells.
   */
  choiceThat(wish: ChoiceWish, maxSteps: number): readonly number[] | undefined
  /** The allowed pairs as text, for use as the key of a cache. */
  readonly key: string
  readonly isCut: boolean
}

/** A condition on the chosen host cells, such as devices near them, in addition to their free resources. */
export interface ChoiceWish {
  suits(chosen: readonly number[]): boolean
  /** False if no choice of `more` further unused cells, added to the chosen cells, satisfies `suits`. */
  canComplete(chosen: readonly number[], used: Uint8Array, more: number): boolean
  /** Two host cells with the same trait are interchangeable for this condition. */
  traitOf(cell: number): string
}

/** Creates a matcher that stores sets of cells as bits. It is fast even for hosts with many cells and guests that nearly fit. */
export function createMatcher(): Matcher {
  const rows = new Int32Array(WORDS * BITS * WORDS)
  const seen = new Int32Array(WORDS)
  const cellOf = new Int32Array(WORDS * BITS)
  const guestOf = new Int32Array(WORDS * BITS)
  let [guestCount, cellCount] = [0, 0]
  let isCut = false

  /**
   * Assigns a guest cell to a host cell that is not in `seen`. If the host cell is already assigned, its present guest cell moves to
   * another host cell (augmenting path). Returns false if this is impossible.
   */
  const assign = (guest: number): boolean => {
    for (let word = 0; word < WORDS; word++) {
      for (;;) {
        const open = (rows[guest * WORDS + word] as number) & ~(seen[word] as number)
        if (open === 0) break
        const bit = open & -open
        const cell = word * BITS + 31 - Math.clz32(bit)
        seen[word] = (seen[word] as number) | bit
        const other = guestOf[cell] as number
        if (other >= 0 && !assign(other)) continue
        guestOf[cell] = guest
        cellOf[guest] = cell
        return true
      }
    }
    return false
  }
  const look = (closed: Iterable<number>): void => {
    seen.fill(0)
    for (const cell of closed) seen[cell >> 5] = (seen[cell >> 5] as number) | (1 << (cell & 31))
  }
  /**
   * Assigns a guest cell to this host cell. Host cells in `before` belong to earlier guest cells and stay assigned to them. Returns false
   * and changes nothing if a later guest cell would then have no host cell.
   */
  const force = (guest: number, cell: number, before: readonly number[]): boolean => {
    const old = cellOf[guest] as number
    if (old === cell) return true
    const displaced = guestOf[cell] as number
    guestOf[old] = -1
    guestOf[cell] = guest
    cellOf[guest] = cell
    if (displaced < 0) return true
    look(before)
    seen[cell >> 5] = (seen[cell >> 5] as number) | (1 << (cell & 31))
    if (assign(displaced)) return true
    guestOf[old] = guest
    guestOf[cell] = displaced
    cellOf[guest] = old
    return false
  }
  const allows = (guest: number, cell: number): boolean => ((rows[guest * WORDS + (cell >> 5)] as number) & (1 << (cell & 31))) !== 0

  /** For each host cell, a number. Two host cells have the same number if the same guest cells fit on them and they have the same trait. */
  const kindsOf = (traitOf: (cell: number) => string): number[] => {
    const known = new Map<string, number>()
    return Array.from({ length: cellCount }, (_, cell) => {
      let guests = ''
      for (let guest = 0; guest < guestCount; guest++) guests += allows(guest, cell) ? '1' : '0'
      const key = `${guests} ${traitOf(cell)}`
      if (!known.has(key)) known.set(key, known.size)
      return known.get(key) as number
    })
  }

  return {
    reset(guests, cells) {
      guestCount = guests
      cellCount = cells
      rows.fill(0, 0, guests * WORDS)
    },
    allow(guest, cell) {
      const at = guest * WORDS + (cell >> 5)
      rows[at] = (rows[at] as number) | (1 << (cell & 31))
    },
    copyRow(guest, from) {
      for (let word = 0; word < WORDS; word++) rows[guest * WORDS + word] = rows[from * WORDS + word] as number
    },
    allows,
    match() {
      cellOf.fill(-1, 0, guestCount)
      guestOf.fill(-1, 0, cellCount)
      let matched = 0
      for (let guest = 0; guest < guestCount; guest++) {
        seen.fill(0)
        if (assign(guest)) matched++
      }
      return matched
    },
    firstChoice() {
      const chosen: number[] = []
      for (let guest = 0; guest < guestCount; guest++)
        for (let cell = 0; cell < cellCount; cell++) {
          if (chosen.includes(cell) || !allows(guest, cell) || !force(guest, cell, chosen)) continue
          chosen.push(cell)
          break
        }
      return chosen
    },
    choiceThat({ suits, canComplete, traitOf }, maxSteps) {
      const chosen: number[] = []
      const used = new Uint8Array(cellCount)
      // Cells of one kind (`kindsOf`) are interchangeable. A branch of the search that failed is therefore stored as the count of used
      // cells of each kind.
      const failed = new Set<number | string>()
      const kinds = kindsOf(traitOf)
      const counts = new Array<number>(Math.max(...kinds) + 1).fill(0)
      const isShort = (guestCount + 1) ** counts.length <= Number.MAX_SAFE_INTEGER
      const keyOf = () => (isShort ? counts.reduce((key, count) => key * (guestCount + 1) + count, 0) : counts.join())
      let steps = 0
      isCut = false
      const assignFrom = (guest: number): boolean => {
        if (guest === guestCount) return suits(chosen)
        for (let cell = 0; cell < cellCount; cell++) {
          if (used[cell] === 1 || !allows(guest, cell)) continue
          if (++steps > maxSteps) {
            isCut = true
            return false
          }
          if (!force(guest, cell, chosen)) continue
          chosen.push(cell)
          used[cell] = 1
          const kind = kinds[cell] as number
          counts[kind] = (counts[kind] as number) + 1
          const key = keyOf()
          if (!failed.has(key) && canComplete(chosen, used, guestCount - guest - 1) && assignFrom(guest + 1)) return true
          failed.add(key)
          counts[kind] = (counts[kind] as number) - 1
          used[cell] = 0
          chosen.pop()
        }
        return false
      }
      return assignFrom(0) ? chosen : undefined
    },
    get isCut() {
      return isCut
    },
    get key() {
      return `${cellCount}:${rows.subarray(0, guestCount * WORDS).join()}`
    },
  }
}
