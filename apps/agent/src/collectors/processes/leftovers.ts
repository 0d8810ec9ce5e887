import { setTimeout as delay } from 'node:timers/promises'
import { MARK, originOf, thisAgent } from './mark.ts'
import type { Found } from './members.ts'
import { allProcesses, hasEnded, kill, type Process, valuesIn } from './proc.ts'

/** A process of a collector whose agent no longer runs. */
export interface Leftover {
  readonly pid: number
  /** The name of its program. */
  readonly name: string
  /** False if it did not end. */
  readonly hasEnded: boolean
}

const PAUSE_MS = 50
const LOOKS = 20

/** The processes with a mark of an agent that no longer runs. Processes of other containers and of other users are left out. */
async function findLeftovers(): Promise<Found> {
  const agent = thisAgent()
  if (agent === undefined) return { members: [], isComplete: true }
  const { processes, isComplete } = await allProcesses()
  const live = new Map(processes.filter((one) => !hasEnded(one)).map((one) => [one.pid, one]))
  const marks = await valuesIn(processes, MARK)
  const members = [...marks.of].flatMap(([one, mark]) => {
    const origin = mark === undefined ? undefined : originOf(mark)
    if (origin?.space !== agent.space || isHidden(origin.pid, live)) return []
    return live.get(origin.pid)?.startTicks === origin.startTicks ? [] : [one]
  })
  return { members, isComplete: isComplete && marks.isComplete }
}

/** True if there is a process whose entry in /proc is hidden from this user (hidepid), so that it is not known whether it is the agent. */
function isHidden(pid: number, live: ReadonlyMap<number, Process>): boolean {
  if (live.has(pid)) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * Ends the processes that collectors of earlier agents left behind. They remain if an agent was killed: it could not end them. The
 * collectors of other agents that run on the machine are not touched.
 */
export async function endLeftovers(): Promise<readonly Leftover[]> {
  const found = new Map<number, string>()
  for (let looks = 0; looks < LOOKS; looks++) {
    const { members: left, isComplete } = await findLeftovers()
    const pids = new Set(left.map(({ pid }) => pid))
    if (left.length === 0 && isComplete) break
    for (const { pid, name } of left) {
      found.set(pid, name)
      kill(pid)
    }
    if (looks === LOOKS - 1) return [...found].map(([pid, name]) => ({ pid, name, hasEnded: !pids.has(pid) }))
    await delay(PAUSE_MS)
  }
  return [...found].map(([pid, name]) => ({ pid, name, hasEnded: true }))
}

/** One sentence about a leftover, for the log of the agent. */
export const leftoverText = ({ pid, name, hasEnded: isGone }: Leftover): string =>
  `process ${pid} (${name}), which a collector of an earlier agent left, ${isGone ? 'was ended' : 'does not end'}`
