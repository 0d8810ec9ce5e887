import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { MARK } from './mark.ts'
import { kill, nextScan, type Process, type Root, treeOf, valuesIn } from './proc.ts'

/** The processes of one run of a collector: its first process, and the mark in the environment of all of them. */
export interface RunningTree extends Root {
  readonly mark: string
}

/** The first and the longest pause between two looks at processes that were ended. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [10, 200]
/** The pause between two looks at processes that did not end for long. */
const RARE_PAUSE_MS = 2_000

/**
 * The live processes of a run: those of its tree, and those with its mark, which detached themselves. A process that was started before the
 * run is none of them.
 */
async function membersOf(run: RunningTree): Promise<readonly Process[]> {
  const { processes } = await nextScan()
  const tree = treeOf(run, processes)
  const others = processes.filter((one) => !tree.includes(one) && one.startTicks >= (run.startTicks ?? 0))
  const marks = await valuesIn(others, MARK)
  return [...tree, ...others.filter((one) => marks.get(one) === run.mark)]
}

/** Ends the processes of a run, and returns those that were there before. */
async function endOnce(run: RunningTree): Promise<readonly Process[]> {
  const members = await membersOf(run)
  // a group is ended at once, so that none of its processes can start another one meanwhile
  if (members.some(({ group }) => group === run.pid)) kill(-run.pid)
  for (const { pid } of members) kill(pid)
  return members
}

/** Ends the processes of a run. Returns the numbers of those that have not ended after `graceMs`. */
export async function endRun(run: RunningTree, graceMs: number): Promise<readonly number[]> {
  const began = performance.now()
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
    const members = await endOnce(run)
    if (members.length === 0) return []
    if (performance.now() - began >= graceMs) return members.map(({ pid }) => pid)
    await delay(pauseMs)
  }
}

/** Resolves when all processes of a run have ended. They are ended again and again. Never rejects, and does not keep the agent from ending. */
export async function untilEnded(run: RunningTree): Promise<void> {
  // if processes cannot be read now, perhaps they can be later
  const remain = (): Promise<boolean> =>
    endOnce(run).then(
      (members) => members.length > 0,
      () => true,
    )
  while (await remain()) await delay(RARE_PAUSE_MS, undefined, { ref: false })
}
