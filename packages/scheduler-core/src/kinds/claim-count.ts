/**
 * The units of one kind on one host: GPUs, cells with their CPUs and pages, or pools of PCI devices. A report may show usage of units other
 * than those that claims name. A `Piece` is the part of a claim on one unit.
 */
export interface Units<Piece> {
  /** Sets the free amount of every unit to the amount that the report leaves free, without claims. */
  reset(): void
  /** Adds a piece of a materialised claim to the sums that are compared with the reported usage, or subtracts the piece (-1). */
  cover(piece: Piece, sign: 1 | -1): void
  /** Whether materialised claims hold more units than the report counts, over the whole host. */
  isShort(): boolean
  /** Takes the amount of materialised claims that the report does not count, first from the units that the claims name. */
  takeShort(): void
  /** Whether the unit that a piece names has enough free for it. */
  fits(piece: Piece): boolean
  /** Takes a piece from the unit that it names, or gives the piece back (-1). */
  take(piece: Piece, sign: 1 | -1): void
  /**
   * Takes a piece from units other than the one that it names. An amount that no unit has free is taken from the named unit, whose free
   * amount then falls below 0.
   */
  takeElsewhere(piece: Piece): void
  /** Orders pieces by their contents alone, largest first. Returns 0 only if they are equal. */
  compare(a: Piece, b: Piece): number
}

/**
 * Counts claims so that each claim keeps its amount, whichever units the host uses (docs/adr/0024). The result depends on the report and on
 * the set of held pieces, but not on the order of the pieces. A drop therefore undoes a hold exactly, and a restored fleet has the same
 * free units.
 */
export class ClaimCount<Piece, Own extends Units<Piece>> {
  readonly units: Own
  readonly #pieces: Piece[]
  /** Held pieces that are left out at present, so that their amounts are free on their units. */
  readonly #lifted: Piece[] = []
  /**
   * Whether a piece was taken from a unit other than the one that it names, or the reported usage was smaller than the amount that
   * materialised claims hold. If so, all units are counted again after each change.
   */
  #isMoved = false

  constructor(units: Own, pieces: readonly Piece[] = [], isMoved = false) {
    this.units = units
    this.#pieces = [...pieces]
    this.#isMoved = isMoved
  }

  /** Holds a piece. `isCounted` means that the report counts its use, because the report lists the instance. */
  hold(piece: Piece, isCounted: boolean): void {
    const { units } = this
    if (isCounted) {
      units.cover(piece, 1)
      if (this.#isMoved || units.isShort()) this.#recount()
      return
    }
    this.#pieces.push(piece)
    if (!this.#isMoved && units.fits(piece)) units.take(piece, 1)
    else this.#recount()
  }

  /** Undoes `hold` exactly. Throws RangeError for a piece that is not held. */
  drop(piece: Piece, isCounted: boolean): void {
    const { units } = this
    if (isCounted) units.cover(piece, -1)
    else {
      const position = this.#pieces.findLastIndex((held) => units.compare(held, piece) === 0)
      if (position < 0) throw new RangeError(`no claim of the host holds ${JSON.stringify(piece)}`)
      this.#pieces.splice(position, 1)
      if (!this.#isMoved) units.take(piece, -1)
    }
    if (this.#isMoved) this.#recount()
  }

  /**
   * Leaves out a piece until the returned function is called, for decisions about the instance that holds it. If the report counts the
   * piece, its amount is free on the unit that it names during this time.
   */
  lift(piece: Piece, isCounted: boolean): () => void {
    if (!isCounted) {
      this.drop(piece, false)
      return () => this.hold(piece, false)
    }
    this.#lifted.push(piece)
    this.units.take(piece, -1)
    return () => {
      this.#lifted.splice(this.#lifted.lastIndexOf(piece), 1)
      this.units.take(piece, 1)
    }
  }

  /** A copy of this count for the units of another fleet. The other fleet's units must equal the present units. */
  copy(units: Own): ClaimCount<Piece, Own> {
    return new ClaimCount(units, this.#pieces, this.#isMoved)
  }

  #recount(): void {
    const { units } = this
    units.reset()
    this.#isMoved = units.isShort()
    if (this.#isMoved) units.takeShort()
    const elsewhere: Piece[] = []
    for (const piece of [...this.#pieces].sort((a, b) => units.compare(a, b))) {
      if (units.fits(piece)) units.take(piece, 1)
      else elsewhere.push(piece)
    }
    if (elsewhere.length > 0) this.#isMoved = true
    for (const piece of elsewhere) units.takeElsewhere(piece)
    for (const piece of this.#lifted) units.take(piece, -1)
  }
}

/** Takes an amount from units in their order, at most the free amount of each. Returns the amount that no unit had free. */
export function takeAcross<Unit>(
  units: Iterable<Unit>,
  amount: number,
  leftOf: (unit: Unit) => number,
  take: (unit: Unit, amount: number) => void,
): number {
  let open = amount
  for (const unit of units) {
    if (open <= 0) break
    const part = Math.min(open, Math.max(0, leftOf(unit)))
    if (part === 0) continue
    take(unit, part)
    open -= part
  }
  return open
}
