/** A turn has at most this many batches. A replica without conflicts also takes a turn after this many batches. */
export const BATCHES_PER_TURN = 8
/** After this many turns without a conflict a replica stops taking turns. */
const CALM_TURNS = 2
/** If the store refuses nothing, a replica takes turns after this many consecutive entries that contain void changes. */
const VOID_ENTRIES = 2

/**
 * Decides when a replica takes turns: after a conflict with other replicas, until two turns had no conflict, and also after every eight
 * batches without a conflict, because a replica cannot see others that it starves. A conflict is an append that is refused, or, if the
 * store accepts every entry, two consecutive entries with void changes. An entry that is appended behind others and still takes effect is
 * not a conflict.
 */
export interface Turns {
  isDue(): boolean
  /** Records a refused append. It shows that other replicas write too. */
  refused(): void
  /** Records an appended entry. Its changes can be void. */
  appended(): void
  /** Records an applied entry. `again` is true if some of its calls must be decided again. */
  settled(again: boolean): void
  /** Records a turn, with the count of other replicas' entries that were read in it. */
  taken(missed: number): void
}

/** `refusesEarly` is true if the store refuses every entry that was decided on an earlier revision than the end of the log. */
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
