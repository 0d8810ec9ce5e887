import { MARK } from './mark.ts'
import { hasEnded, type Process, type Scan, valuesIn } from './proc.ts'

/** The first process of a run of a collector. It leads a session of its own. */
export interface Root {
  readonly pid: number
  /** Undefined if the process could not be read when it was started. */
  readonly startTicks: number | undefined
  /** The value of MARK in the environment of all processes of the run. */
  readonly mark: string
  /** True if the run has a PID namespace: with its first process, the kernel ends all others, so that none can start another one then. */
  readonly isContained: boolean
}

/** The processes of one run of a collector. */
export interface Members {
  /** The number of the first process. */
  readonly root: number
  /** Of the processes of a scan, those of the run that have not ended. */
  among(scan: Scan): Promise<Found>
}

export interface Found {
  readonly members: readonly Process[]
  /** False if it is not known of some processes whether they belong to the run, so that members may be missing. */
  readonly isComplete: boolean
}

/**
 * Finds the processes of a run, also those that detached themselves: the first process, the descendants of members, the processes that
 * share a session with a member, and those with the mark of the run in their environment. A process that was once found stays a member,
 * also after its parent has ended. A process that was started before the run is none of them.
 */
export function createMembers(root: Root): Members {
  /** The start of each member of the last scan, by its number. */
  let known: ReadonlyMap<number, number> = new Map()
  /** The same for processes whose environment has no mark of this run, so that it is read only once. */
  let strangers: ReadonlyMap<number, number> = new Map()
  const find = async ({ processes, isComplete }: Scan): Promise<Found> => {
    const related = relativesOf(root, known, processes)
    const others = processes.filter(
      (one) => !related.has(one) && one.startTicks >= (root.startTicks ?? 0) && strangers.get(one.pid) !== one.startTicks,
    )
    const marks = await valuesIn(others, MARK)
    const marked = others.filter((one) => marks.of.get(one) === root.mark)
    const members = marked.length === 0 ? related : relativesOf(root, startsOf([...related, ...marked]), processes)
    strangers = startsOf(processes.filter((one) => !members.has(one) && (marks.of.has(one) || strangers.get(one.pid) === one.startTicks)))
    known = startsOf([...members])
    return { members: [...members].filter((one) => !hasEnded(one)), isComplete: root.isContained || (isComplete && marks.isComplete) }
  }
  let turn: Promise<unknown> = Promise.resolve()
  return {
    root: root.pid,
    // one call after the other, because each builds on what the one before found
    among(scan) {
      const found = turn.then(() => find(scan))
      turn = found.catch(() => undefined)
      return found
    },
  }
}

const startsOf = (processes: readonly Process[]): ReadonlyMap<number, number> =>
  new Map(processes.map(({ pid, startTicks }) => [pid, startTicks]))

/** The first process, the known members, their descendants, and the processes of their sessions. */
function relativesOf(root: Root, known: ReadonlyMap<number, number>, processes: readonly Process[]): ReadonlySet<Process> {
  const agent = processes.find(({ pid }) => pid === process.pid)
  const atRoot = processes.find(({ pid }) => pid === root.pid)
  const isReused = atRoot !== undefined && root.startTicks !== undefined && atRoot.startTicks !== root.startTicks
  // if the number belongs to another process by now, nothing of the first session remains
  const sessions = new Set(isReused ? [] : [root.pid])
  const pids = new Set(isReused ? [] : [root.pid])
  const members = new Set<Process>()
  const isMember = (one: Process): boolean =>
    known.get(one.pid) === one.startTicks || pids.has(one.pid) || pids.has(one.parent) || sessions.has(one.session)
  // a child can have a lower number than its parent, so the list is read until nothing is added
  for (let before = -1; before < members.size; ) {
    before = members.size
    for (const one of processes) {
      if (members.has(one) || one === agent || !isMember(one)) continue
      members.add(one)
      pids.add(one.pid)
      if (one.session !== agent?.session) sessions.add(one.session)
    }
  }
  return members
}
