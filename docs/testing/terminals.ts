import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { checkout } from './follow-page.ts'

// Follows a page to the letter: its blocks of commands run in order in one bash, and what they print is compared with the `text` block
// after them. In a `text` block `<...>` stands for anything within a line, a line `...` for any lines, and the number of blanks does not
// matter. TMPDIR and HOME are folders of the test; `npx` is a script that starts the command of the checkout,
// since npm's own takes longer than the commands do (docs/tests/tutorial.test.ts runs that one once).

const TIMEOUT_MS = 600_000

/** Sets the variables of npm by which a command knows that npx called it. */
const NPX = `#!/bin/sh
export npm_command=exec npm_lifecycle_script="$1"
command="node_modules/.bin/$1"
shift
exec "$command" "$@"
`

/** A block of commands of a page. */
export interface CommandBlock<Kind extends string> {
  readonly kind: Kind
  readonly line: number
  readonly commands: string
  readonly expected: string | undefined
}

/** The blocks of a page; only these kinds are allowed, next to `text`. */
export function readCommandBlocks<Kind extends string>(page: string, kinds: readonly Kind[]): CommandBlock<Kind>[] {
  const found = [...page.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)]
  return found.flatMap((match, i) => {
    const [, name = '', commands = ''] = match
    if (name === 'text') return []
    const kind = kinds.find((known) => known === name)
    if (kind === undefined) throw new Error(`The page has a block of ${name}.`)
    const next = found[i + 1]
    const line = page.slice(0, match.index).split('\n').length
    return [{ kind, line, commands, expected: next?.[1] === 'text' ? next[2] : undefined }]
  })
}

/** The command whose output a `text` block shows; the whole output has to match the block. */
export function toPattern(expected: string): RegExp {
  const lines = expected
    .trim()
    .split('\n')
    .map((line) => {
      if (line === '...') return '(?:.*\\n)*?.*'
      const literal = line.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      return `\\s*${literal.replace(/<[a-z]+>/g, '\\S(?:.*\\S)?').replace(/\s+/g, '\\s+')}[ \\t]*`
    })
  return new RegExp(`^\\s*${lines.join('\\n')}\\s*$`)
}

/** Open terminals in a folder that contains the checkout as `gantt`. */
export interface Terminals {
  readonly folder: string
  startBash(environment?: Readonly<Record<string, string>>): ChildProcess
  /** One bash for all blocks, so that a variable that one block exports is set in the next one. */
  openShell(environment?: Readonly<Record<string, string>>): Shell
  /** Ends all terminals that are still open, and removes the folder. */
  close(): Promise<void>
}

export interface Shell {
  run(commands: string): Promise<{ readonly output: string; readonly status: number }>
  end(): void
}

export async function openTerminals(prefix: string): Promise<Terminals> {
  const folder = await mkdtemp(path.join(tmpdir(), prefix))
  // the account of the embedded database needs access to the folder
  await chmod(folder, 0o755)
  await symlink(checkout, path.join(folder, 'gantt'))
  const programs = path.join(folder, 'programs')
  await mkdir(programs)
  await writeFile(path.join(programs, 'npx'), NPX, { mode: 0o755 })
  const started: ChildProcess[] = []
  const startBash = (environment: Readonly<Record<string, string>> = {}): ChildProcess => {
    const child = spawn('bash', [], {
      cwd: path.join(folder, 'gantt'),
      env: {
        PATH: `${programs}:${process.env.PATH ?? ''}`,
        HOME: folder,
        TMPDIR: folder,
        LANG: 'C.UTF-8',
        NO_UPDATE_NOTIFIER: '1',
        ...environment,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
      // Ctrl-C reaches everything in a terminal, so this terminal is a group
      detached: true,
    })
    started.push(child)
    return child
  }
  return {
    folder,
    startBash,
    openShell: (environment) => toShell(folder, startBash(environment)),
    async close() {
      for (const child of started) await interrupt(child)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Sends Ctrl-C, and waits until the terminal ends. */
export async function interrupt(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = once(child, 'close')
  process.kill(-child.pid, 'SIGINT')
  child.stdin?.end()
  await ended
}

/** The content of a terminal, and a way to wait for some text in it. */
export function gather(child: ChildProcess) {
  let shown = ''
  const changed = new Set<() => void>()
  const add = (text: string): void => {
    shown += text
    for (const look of changed) look()
  }
  child.stdout?.setEncoding('utf8').on('data', add)
  child.stderr?.setEncoding('utf8').on('data', add)
  const until = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const finish = (end: () => void): void => {
        clearTimeout(timer)
        changed.delete(look)
        child.off('close', fail)
        end()
      }
      const fail = (): void => finish(() => reject(new Error(`${pattern} did not appear:\n${shown}`)))
      const timer = setTimeout(fail, TIMEOUT_MS)
      const look = (): void => {
        const found = pattern.exec(shown)
        if (found !== null) finish(() => resolve(found))
      }
      changed.add(look)
      child.once('close', fail)
      look()
    })
  const forget = (): void => {
    shown = ''
  }
  return { text: () => shown, until, forget }
}

function toShell(folder: string, child: ChildProcess): Shell {
  const seen = gather(child)
  let count = 0
  return {
    async run(commands) {
      count++
      const file = path.join(folder, `block-${count}.sh`)
      await writeFile(file, commands)
      seen.forget()
      child.stdin?.write(`source ${file} </dev/null 2>&1; printf '\\nend-of-block %s\\n' $?\n`)
      const end = await seen.until(/\nend-of-block (\d+)\n/)
      return { output: seen.text().slice(0, end.index), status: Number(end[1]) }
    },
    end: () => void child.stdin?.end(),
  }
}
