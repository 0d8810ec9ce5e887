import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { promisify } from 'node:util'
import type { User } from '../settings.ts'
import { effectiveCapabilities } from './capabilities.ts'

/** The folders in which programs are looked for, also by collectors. */
export const PROGRAM_FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

/**
 * How the processes of a run are kept together. `namespace`: in a PID namespace of the run (pid_namespaces(7)), which no process can leave,
 * and which the kernel ends as a whole. `search`: they are searched for among the processes of the machine; `reason` says why.
 */
export type Containment =
  | { readonly kind: 'namespace'; readonly unshare: readonly [string, ...string[]]; readonly setpriv: string }
  | { readonly kind: 'search'; readonly reason: string }

/** How long the attempt to create a namespace may take. */
const ATTEMPT_MS = 10_000

/** The name of the shell that is the first process of a namespace. It is in the shell's messages. */
const SHELL_NAME = 'gantt-agent'

/**
 * What the first process of a namespace does. The program is its child, because the kernel keeps signals that would end a process from the
 * first process of a namespace. If the machine runs out of memory, collectors are ended first; a value that cannot be set is no error.
 */
const SHELL_SCRIPT = '{ echo 1000 > /proc/self/oom_score_adj; } 2> /dev/null; "$@"; exit "$?"'

/** A variable of a collector has this text before its name until the shell, which runs as the user, gives it its own name. */
const KEPT = 'GANTT_KEPT_'

let found: Promise<Containment> | undefined

/** How this agent contains the processes of its collectors. It tries once. */
export function findContainment(): Promise<Containment> {
  found ??= tryContainment(effectiveCapabilities() !== 0n)
  return found
}

/**
 * Tries to create a PID namespace. An agent with capabilities needs CAP_SYS_ADMIN among them. An agent without any creates a user namespace
 * with it; a user namespace would take the capabilities of an agent that has some from its collectors.
 */
export async function tryContainment(isCapable: boolean): Promise<Containment> {
  const [unshare, setpriv] = [programOf('unshare'), programOf('setpriv')]
  if (unshare === undefined || setpriv === undefined)
    return { kind: 'search', reason: `there is no program ${unshare === undefined ? 'unshare' : 'setpriv'} (util-linux)` }
  const options = isCapable ? [] : ['--user', '--map-current-user']
  const containment: Containment = { kind: 'namespace', unshare: [unshare, ...options, '--pid', '--fork'], setpriv }
  const { file, args } = containedCommand(containment, { file: '/bin/sh', args: ['-c', 'echo $PPID'], env: {} }, undefined)
  try {
    const { stdout } = await promisify(execFile)(file, args, { timeout: ATTEMPT_MS, killSignal: 'SIGKILL', env: {}, cwd: '/' })
    if (stdout.trim() === '1') return containment
    return { kind: 'search', reason: `a process that should be the child of process 1 has the parent ${stdout.trim()}` }
  } catch (error) {
    const { stderr } = error instanceof Error && 'stderr' in error ? error : { stderr: error }
    return { kind: 'search', reason: String(stderr).trim().split('\n').at(-1) || String(error) }
  }
}

/** A command, and the variables of its environment. */
export interface Contained {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/**
 * The command that runs a program in a PID namespace of its own, and as the user. The namespace ends with the program or with `unshare`. The
 * programs that run before the change of user do not see the variables of the collector under their names: with LD_PRELOAD, for example,
 * they would run the user's code as the agent.
 */
export function containedCommand(
  { unshare: [unshare, ...options], setpriv }: Extract<Containment, { kind: 'namespace' }>,
  { file, args, env }: Contained,
  user: User | undefined,
): Contained {
  const asUser = user === undefined ? [] : [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups']
  // the names were checked with the settings: they have only letters, digits and _
  const named = Object.keys(env).map((name) => `${name}="$${KEPT}${name}"; export ${name}; unset ${KEPT}${name}; `)
  const shell = ['/bin/sh', '-c', `${named.join('')}${SHELL_SCRIPT}`, SHELL_NAME]
  return {
    file: unshare,
    args: [...options, setpriv, '--pdeathsig', 'KILL', ...asUser, ...shell, file, ...args],
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [`${KEPT}${name}`, value])),
  }
}

/** Why the shell could not start the program, from the code and the standard error of a run. Undefined if it could. */
export function startFailure(code: number | null, err: string, file: string): string | undefined {
  if (code !== 126 && code !== 127) return undefined
  const before = new RegExp(`^${SHELL_NAME}: (?:line )?\\d+: `)
  const line = err.split('\n').find((one) => before.test(one) && one.includes(`${file}: `))
  return line?.slice(line.indexOf(`${file}: `) + file.length + 2)
}

/** One sentence about the containment of collectors, for the log of the agent. */
export const containmentText = (containment: Containment): string =>
  containment.kind === 'namespace'
    ? 'runs of collectors have PID namespaces of their own, which their processes cannot leave'
    : `runs of collectors have no PID namespaces of their own: ${containment.reason}. A process that removes GANTT_COLLECTOR_RUN from its environment and detaches itself is not always found`

/** The path of a program. */
const programOf = (name: string): string | undefined => PROGRAM_FOLDERS.map((folder) => `${folder}/${name}`).find(isProgram)

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
