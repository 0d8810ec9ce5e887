/**
 * The units of one kind on one host: GPUs, NUMA cells with their CPUs and pages, or pools of PCI devices. A claim names units, but the
 * report can show that the instance uses different units. A `Piece` is the part of a claim that names one unit.
 */
export interface Units<Piece> {
  /** Sets the free amount of every unit to the amount that is free according to the report, as if there were no claims. */
  reset(): void
  /** Adds a piece of a materialised claim to the sums that are compared with the reported usage (1), or subtracts it from them (-1). */
  cover(piece: Piece, sign: 1 | -1): void
  /** True if the materialised claims of the host hold more than the report counts as used. */
  isShort(): boolean
  /** Subtracts the amount by which materialised claims exceed the reported usage, first from the units that the claims name. */
  takeShort(): void
  /** True if the unit that a piece names has enough free for the piece. */
  fits(piece: Piece): boolean
  /** Subtracts a piece from the free amount of the unit that it names (1), or adds it (-1). */
  take(piece: Piece, sign: 1 | -1): void
  /**
   * Subtracts a piece that does not fit on the unit that it names. The piece is subtracted from any units of the host with free amounts.
   * The rest, for which no unit has enough free, makes the free amount of the named unit negative.
   */
  takeElsewhere(piece: Piece): void
  /** Orders pieces by their contents, largest first. Returns 0 only for equal pieces. */
  compare(a: Piece, b: Piece): number
}

/**
 * Subtracts the claims of a host from the free amounts of its units. Each claim is subtracted in full, even if the report shows that the
 * host uses other units than the claims name. The result does not depend on the order in which the claims were added. Therefore `drop`
 * undoes `hold` exactly, and a restored fleet has the same free amounts.
 */
export class ClaimCount<Piece, Own extends Units<Piece>> {
  readonly units: Own
  readonly #pieces: Piece[]
  /** Held pieces that `lift` treats as free at present. */
  readonly #lifted: Piece[] = []
  /**
   * True if a piece is subtracted from a unit that the piece does not name, or if materialised claims hold more than the reported usage.
   * The free amounts of all units are then computed again after each change.
   */
  #isMoved = false

  constructor(units: Own, pieces: readonly Piece[] = [], isMoved = false) {
    this.units = units
    this.#pieces = [...pieces]
    this.#isMoved = isMoved
  }

  /**
   * Subtracts a piece from the free amounts. With `isCounted`, the reported usage already includes the piece, because the report lists the
   * instance.
   */
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

  /** Undoes `hold` exactly. Throws RangeError if `isCounted` is false and the piece is not held. */
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
   * Treats a held piece as free until the returned function is called. This is used to decide about the instance that holds the piece. If
   * the reported usage includes the piece, its amount is added to the free amount of the unit that the piece names.
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

  /** Returns a copy of this count for a copied fleet. `units` are the units of the copied fleet, and must equal the units of this count. */
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

/**
 * Takes an amount from units in order, at most the free amount of each unit. Returns the rest of the amount, for which no unit had enough
 * free.
 */
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
