/** The number of 32-bit words in a set of cells. They have a bit for each cell of the largest host or guest that a report allows. */
const WORDS = 2
const BITS = 32

/** Records which host cells fit which guest cells, and searches a separate host cell for each guest cell. Cells are numbered from 0. */
export interface Matcher {
  /** Clears all pairs and sets the number of cells on each side. */
  reset(guests: number, cells: number): void
  allow(guest: number, cell: number): void
  /** Allows a guest cell all host cells that another guest cell may have. */
  copyRow(guest: number, from: number): void
  allows(guest: number, cell: number): boolean
  /** The largest number of guest cells that can each have a separate host cell. */
  match(): number
  /**
   * The host cell of each guest cell after a complete match. Each guest cell gets the first host cell that leaves one for each later guest
   * cell.
   */
  firstChoice(): number[]
  /** The first complete match that `wish` accepts. Undefined if there is none. If the search stops at `maxSteps`, `isCut` is true. */
  choiceThat(wish: ChoiceWish, maxSteps: number): readonly number[] | undefined
  /** The allowed pairs as text. */
  readonly key: string
  readonly isCut: boolean
}

/** A condition on a choice of cells, in addition to free resources. */
export interface ChoiceWish {
  suits(chosen: readonly number[]): boolean
  /** False if no choice of `more` unused cells is accepted together with the chosen cells. */
  mayStill(chosen: readonly number[], used: Uint8Array, more: number): boolean
  /** Cells with the same trait are interchangeable. */
  traitOf(cell: number): string
}

/**
 * Creates a matcher that works on bits, with one step per cell instead of one per pair. This keeps it fast for hosts with many cells and
 * guests that nearly fit.
 */
export function createMatcher(): Matcher {
  const rows = new Int32Array(WORDS * BITS * WORDS)
  const seen = new Int32Array(WORDS)
  const cellOf = new Int32Array(WORDS * BITS)
  const guestOf = new Int32Array(WORDS * BITS)
  let [guestCount, cellCount] = [0, 0]
  let isCut = false

  /** Assigns a guest cell to a host cell that was not visited yet, and moves other guest cells if that frees one. */
  const seat = (guest: number): boolean => {
    for (let word = 0; word < WORDS; word++) {
      for (;;) {
        const open = (rows[guest * WORDS + word] as number) & ~(seen[word] as number)
        if (open === 0) break
        const bit = open & -open
        const cell = word * BITS + 31 - Math.clz32(bit)
        seen[word] = (seen[word] as number) | bit
        const other = guestOf[cell] as number
        if (other >= 0 && !seat(other)) continue
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
   * Moves a guest cell to a host cell while earlier guest cells keep theirs. Returns false and changes nothing if another guest cell would
   * then have none.
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
    if (seat(displaced)) return true
    guestOf[old] = guest
    guestOf[cell] = displaced
    cellOf[guest] = old
    return false
  }
  const allows = (guest: number, cell: number): boolean => ((rows[guest * WORDS + (cell >> 5)] as number) & (1 << (cell & 31))) !== 0

  /** A class number for each cell. Cells with the same possible guests and the same trait have the same class number. */
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
        if (seat(guest)) matched++
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
    choiceThat({ suits, mayStill, traitOf }, maxSteps) {
      const chosen: number[] = []
      const used = new Uint8Array(cellCount)
      // the remaining choices depend only on how many cells of each kind are used, so a failure is remembered by these counts
      const failed = new Set<number | string>()
      const kinds = kindsOf(traitOf)
      const counts = new Array<number>(Math.max(...kinds) + 1).fill(0)
      const isShort = (guestCount + 1) ** counts.length <= Number.MAX_SAFE_INTEGER
      const keyOf = () => (isShort ? counts.reduce((key, count) => key * (guestCount + 1) + count, 0) : counts.join())
      let steps = 0
      isCut = false
      const place = (guest: number): boolean => {
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
          if (!failed.has(key) && mayStill(chosen, used, guestCount - guest - 1) && place(guest + 1)) return true
          failed.add(key)
          counts[kind] = (counts[kind] as number) - 1
          used[cell] = 0
          chosen.pop()
        }
        return false
      }
      return place(0) ? chosen : undefined
    },
    get isCut() {
      return isCut
    },
    get key() {
      return `${cellCount}:${rows.subarray(0, guestCount * WORDS).join()}`
    },
  }
}
