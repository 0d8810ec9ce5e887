/** Batches that a replica appends in one turn, and those after which even one that was never refused passes through the turn. */
export const BATCHES_PER_TURN = 8
/** Turns in which nothing came in the way, after which a replica appends without. */
const CALM_TURNS = 2
/** Entries in a row with something void in them, after which a replica takes turns, where the store refuses nothing. */
const VOID_ENTRIES = 2

/**
 * When a replica takes turns: once others came in its way, until none did in two turns; and now and then in any case,
 * because it cannot see those whom it starves. In the way is who makes an append refused, or, where the store lets every
 * entry in, who makes what is in it void: entries that land behind others and count all the same disturb nobody.
 */
export interface Turns {
  isDue(): boolean
  /** An append was refused: others write too. */
  refused(): void
  /** An entry is in the log, whatever counts of it. */
  appended(): void
  /** An entry was applied; `again` when some of it is to be decided again. */
  settled(again: boolean): void
  /** A turn was taken, in which this many entries of others were behind. */
  taken(missed: number): void
}

/** `refusesEarly`: whether the store refuses entries whose basis is not the head. */
export function createTurns(refusesEarly: boolean): Turns {
  let contended = false
  let calm = 0
  let batches = 0
  let voids = 0
  let disturbed = false
  const disturb = (): void => {
    contended = true
    disturbed = true
  }
  return {
    isDue: () => contended || batches >= BATCHES_PER_TURN,
    refused: disturb,
    appended() {
      batches++
    },
    settled(again) {
      voids = again ? voids + 1 : 0
      if (!refusesEarly && voids >= VOID_ENTRIES) disturb()
    },
    taken(missed) {
      batches = 0
      calm = disturbed || (refusesEarly && missed > 0) ? 0 : calm + 1
      disturbed = false
      if (calm >= CALM_TURNS) contended = false
    },
  }
}
