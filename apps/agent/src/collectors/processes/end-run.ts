import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Members } from './members.ts'
import { kill, nextScan, type Process } from './proc.ts'

/** The first and the longest pause between two looks at processes that were ended. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [10, 200]
/** The pause between two looks at processes that did not end for long. */
const RARE_PAUSE_MS = 2_000
/**
 * How many looks in a row may find nothing without having seen every process. On a machine on which programs are always being started, a
 * look that sees all of them may never come.
 */
const MAX_INCOMPLETE_LOOKS = 10

interface Look {
  /** The processes that were there, and have been ended. */
  readonly members: readonly Process[]
  /** True if none was there, as far as can be known. */
  readonly isLast: boolean
}

/** Returns a function that looks for the processes of a run once, and ends them. */
function createLooks(run: Members): () => Promise<Look> {
  let incompleteLooks = 0
  return async () => {
    const { members, isComplete } = await run.among(await nextScan())
    // a group is ended at once, so that none of its processes can start another one meanwhile
    if (members.some(({ group }) => group === run.root)) kill(-run.root)
    for (const { pid } of members) kill(pid)
    incompleteLooks = isComplete || members.length > 0 ? 0 : incompleteLooks + 1
    return { members, isLast: members.length === 0 && (isComplete || incompleteLooks >= MAX_INCOMPLETE_LOOKS) }
  }
}

/** Ends the processes of a run. Returns the numbers of those that have not ended after `graceMs`. */
export async function endRun(run: Members, graceMs: number): Promise<readonly number[]> {
  const began = performance.now()
  const look = createLooks(run)
  let pauseMs = FIRST_PAUSE_MS
  let earlier: ReadonlySet<number> = new Set()
  for (;;) {
    const { members, isLast } = await look()
    if (isLast) return []
    if (members.length > 0 && performance.now() - began >= graceMs) return members.map(({ pid }) => pid)
    // processes that start others while they are ended are looked for often, and those that are slow to end are not
    pauseMs = members.some(({ pid }) => !earlier.has(pid)) ? FIRST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
    earlier = new Set(members.map(({ pid }) => pid))
    await delay(pauseMs)
  }
}

/** Resolves when all processes of a run have ended. They are ended again and again. Never rejects, and does not keep the agent from ending. */
export async function untilEnded(run: Members): Promise<void> {
  const look = createLooks(run)
  // if processes cannot be read now, perhaps they can be later
  const remain = (): Promise<boolean> =>
    look().then(
      ({ isLast }) => !isLast,
      () => true,
    )
  while (await remain()) await delay(RARE_PAUSE_MS, undefined, { ref: false })
}
