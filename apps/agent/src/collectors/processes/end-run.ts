import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Members } from './members.ts'
import { kill, nextScan, type Process } from './proc.ts'

/** The first and the longest pause between two looks at processes that were ended. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [10, 200]
/** The pause between two looks at processes that did not end for long. */
const RARE_PAUSE_MS = 2_000

/** Ends the processes of a run, and returns those that were there before. */
async function endOnce(run: Members): Promise<readonly Process[]> {
  const members = await run.among((await nextScan()).processes)
  // a group is ended at once, so that none of its processes can start another one meanwhile
  if (members.some(({ group }) => group === run.root)) kill(-run.root)
  for (const { pid } of members) kill(pid)
  return members
}

/** Ends the processes of a run. Returns the numbers of those that have not ended after `graceMs`. */
export async function endRun(run: Members, graceMs: number): Promise<readonly number[]> {
  const began = performance.now()
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
    const members = await endOnce(run)
    if (members.length === 0) return []
    if (performance.now() - began >= graceMs) return members.map(({ pid }) => pid)
    await delay(pauseMs)
  }
}

/** Resolves when all processes of a run have ended. They are ended again and again. Never rejects, and does not keep the agent from ending. */
export async function untilEnded(run: Members): Promise<void> {
  // if processes cannot be read now, perhaps they can be later
  const remain = (): Promise<boolean> =>
    endOnce(run).then(
      (members) => members.length > 0,
      () => true,
    )
  while (await remain()) await delay(RARE_PAUSE_MS, undefined, { ref: false })
}
