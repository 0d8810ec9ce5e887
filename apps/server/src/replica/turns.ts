/** Batches that a replica appends in one turn, and those after which even one that was never refused passes through the turn. */
export const BATCHES_PER_TURN = 8
/** Turns in which nothing was missed, after which a replica appends without. */
const CALM_TURNS = 2

/**
 * When a replica takes turns: once it was refused, until it has missed nothing in two turns; and now and then without a
 * refusal, because it cannot see those whom it starves.
 */
export interface Turns {
  isDue(): boolean
  /** An append was refused: others write too. */
  refused(): void
  appended(): void
  /** A turn was taken, in which this many entries of others were behind. */
  taken(missed: number): void
}

export function createTurns(): Turns {
  let contended = false
  let calm = 0
  let batches = 0
  return {
    isDue: () => contended || batches >= BATCHES_PER_TURN,
    refused() {
      contended = true
      calm = 0
    },
    appended() {
      batches++
    },
    taken(missed) {
      batches = 0
      calm = missed === 0 ? calm + 1 : 0
      if (calm >= CALM_TURNS) contended = false
    },
  }
}
