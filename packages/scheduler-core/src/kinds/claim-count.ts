/**
 * The units of one kind on one host: GPUs, cells with their CPUs and pages, or pools of PCI devices. A report may show
 * other units in use than those that claims name. `Piece` is the part of a claim on one unit.
 */
export interface Units<Piece> {
  /** Sets every unit to what the report leaves of it, with nothing held. */
  reset(): void
  /** Adds a piece of a materialised claim to the sums that reported use is compared with, or takes it out again (-1). */
  cover(piece: Piece, sign: 1 | -1): void
  /** Whether materialised claims hold more of some sort of unit, over the whole host, than the report counts. */
  isShort(): boolean
  /** Takes the amount that they hold beyond that, first from the units that they name. */
  takeShort(): void
  /** Whether the unit that a piece names has room for it. */
  fits(piece: Piece): boolean
  /** Takes a piece from the unit that it names, or gives it back (-1). */
  take(piece: Piece, sign: 1 | -1): void
  /**
   * Takes a piece from units other than the one that it names; an amount that no unit has left is taken from the named
   * one, which then falls below 0.
   */
  takeElsewhere(piece: Piece): void
  /** Orders pieces by their contents alone, largest first; 0 only if they are equal. */
  compare(a: Piece, b: Piece): number
}

/**
 * Counts claims so that each keeps its amount whatever units the host uses (docs/adr/0024). The result depends on the
 * report and on which pieces are held, never on the order in which they came, so that a drop undoes a hold exactly and a
 * restored fleet has the same units free.
 */
export class ClaimCount<Piece, Own extends Units<Piece>> {
  readonly units: Own
  readonly #pieces: Piece[]
  /** Pieces that are counted but left out at present: their units have the amounts back. */
  readonly #lifted: Piece[] = []
  /**
   * Whether a piece was taken from another unit, or the reported use was less than what materialised claims hold: then
   * all units are counted again after each change.
   */
  #isMoved = false

  constructor(units: Own, pieces: readonly Piece[] = [], isMoved = false) {
    this.units = units
    this.#pieces = [...pieces]
    this.#isMoved = isMoved
  }

  /** `isCounted`: the report counts the use of the piece, because it lists the instance. */
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
   * Disregards a piece until the returned function is called, for decisions about the instance that holds it. Where the report counts the
   * piece, the unit that it names has the amount back meanwhile.
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

  /** The same count over the units of another fleet, which must equal the present units. */
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

/** Takes an amount from units in their order, from each at most what it has left; returns what none of them had. */
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
