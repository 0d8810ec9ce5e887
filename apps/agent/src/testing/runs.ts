import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { type Containment, tryContainment } from '../collectors/processes/containment.ts'
import { allProcesses } from '../collectors/processes/proc.ts'
import { type Ran, type Run, runProcess } from '../collectors/processes/run-process.ts'

/** A way in which runs are contained. If the machine does not have it, it is skipped, and its name has the reason. */
export interface Way {
  readonly name: string
  readonly containment: Containment
  readonly isSkipped: boolean
}

/** Runs whose processes are searched for among those of the machine. */
export const SEARCH: Way = {
  name: 'among the processes of the machine',
  containment: { kind: 'search', reason: 'a test needs it' },
  isSkipped: false,
}

async function namespaceWay(name: string, isCapable: boolean): Promise<Way> {
  const containment = await tryContainment(isCapable)
  if (containment.kind === 'namespace') return { name, containment, isSkipped: false }
  return { name: `${name} [skipped: ${containment.reason}]`, containment, isSkipped: true }
}

export const PID_NAMESPACE = await namespaceWay('in a PID namespace', true)
export const USER_NAMESPACE = await namespaceWay('in a PID namespace of a user namespace', false)

/** Runs a program, by default Node with a script. */
export type RunScript = (script: string, change?: Partial<Run>) => Promise<Ran>

export const runsIn =
  (containment: Containment): RunScript =>
  (script, change) =>
    runProcess({
      ...{ file: process.execPath, args: ['-e', script], env: { PATH: '/usr/bin:/bin' }, input: '{}' },
      ...{ timeoutMs: 60_000, memoryBytes: 512 * 2 ** 20, user: undefined, conceal: (text) => text, signal: new AbortController().signal },
      containment,
      ...change,
    })

/** What a run printed. Throws if it failed. */
export async function outputOf(running: Promise<Ran>): Promise<string> {
  const ran = await running
  if ('error' in ran) throw new Error(ran.error.text)
  return ran.output.toString('utf8')
}

/** The processes whose command line has this text. A process that has ended has none. */
export async function runningWith(text: string): Promise<readonly number[]> {
  const { processes } = await allProcesses()
  return processes.flatMap(({ pid }) => (commandLine(pid).includes(text) ? [pid] : []))
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return ''
    throw error
  }
}

/** Waits until no process has this text in its command line. */
export const endSoon = (text: string): Promise<void> => expect.poll(() => runningWith(text)).toEqual([])

/** A script that starts a process which would run for an hour. The path of the file is an argument of it, and the file gets its number. */
export const startsChild = (file: string, options: string, then: string): string => `
  const args = ['-e', 'setTimeout(() => {}, 3_600_000)', ${JSON.stringify(file)}]
  const child = require('node:child_process').spawn(process.execPath, args, ${options})
  child.unref()
  require('node:fs').writeFileSync(${JSON.stringify(file)}, String(child.pid))
  ${then}`
