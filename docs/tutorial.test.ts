import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

// Follows docs/tutorial.md to the letter: its `sh` blocks, in order, in one bash; what they print is compared with the
// `text` block behind them. In a `text` block `<...>` stands for anything within a line, a line `...` for any lines, and
// blanks may be more or fewer. `sh service` is the first terminal; before `sh stopped` it gets Ctrl-C.
// Two things are not to the letter: the port (any that is free instead of 4400), and TMPDIR and HOME (folders of the test).

const DEFAULT_PORT = '4400'
const START_TIMEOUT_MS = 120_000
const checkout = fileURLToPath(new URL('..', import.meta.url))

interface Block {
  readonly kind: 'sh' | 'sh service' | 'sh stopped'
  readonly line: number
  readonly commands: string
  readonly expected: string | undefined
}

let folder: string
const started: ChildProcess[] = []

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gantt-tutorial-'))
  // the account of the embedded database has to get through
  await chmod(folder, 0o755)
  await symlink(checkout, path.join(folder, 'gantt'))
})

afterAll(async () => {
  for (const child of started) await stop(child)
  await rm(folder, { recursive: true, force: true })
})

test('the tutorial ends where it says', async () => {
  const blocks = readBlocks(await readFile(new URL('tutorial.md', import.meta.url), 'utf8'))
  expect(blocks.length).toBeGreaterThan(10)
  const second = openShell()
  let service: ChildProcess | undefined
  let port = DEFAULT_PORT
  for (const { kind, line, commands, expected } of blocks) {
    const where = `docs/tutorial.md:${line}`
    if (kind === 'sh service') {
      service = startBash({ PORT: '0' })
      const seen = gather(service)
      service.stdin?.end(commands)
      port = (await seen.until(/Gantt is ready at http:\/\/127\.0\.0\.1:(\d+)\/graphql/))[1] ?? ''
      expect(seen.text().replaceAll(`:${port}/`, `:${DEFAULT_PORT}/`), where).toMatch(toPattern(expected ?? ''))
      continue
    }
    if (kind === 'sh stopped' && service !== undefined) await stop(service)
    const { output, status } = await second.run(commands.replaceAll(`:${DEFAULT_PORT}/`, `:${port}/`))
    expect(status, `${where}: ${output}`).toBe(0)
    if (expected !== undefined) expect(output.replaceAll(`:${port}/`, `:${DEFAULT_PORT}/`), where).toMatch(toPattern(expected))
  }
  expect(await readdir(folder)).not.toContain('gantt-tutorial')
  second.end()
})

function readBlocks(page: string): Block[] {
  const found = [...page.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)]
  return found.flatMap((match, i) => {
    const [, kind = '', commands = ''] = match
    if (kind === 'text') return []
    if (kind !== 'sh' && kind !== 'sh service' && kind !== 'sh stopped') throw new Error(`The tutorial has a block of ${kind}.`)
    const next = found[i + 1]
    const line = page.slice(0, match.index).split('\n').length
    return [{ kind, line, commands, expected: next?.[1] === 'text' ? next[2] : undefined }]
  })
}

/** What a `text` block stands for; the whole output has to be like it. */
function toPattern(expected: string): RegExp {
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

function startBash(environment: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = spawn('bash', [], {
    cwd: path.join(folder, 'gantt'),
    env: { PATH: process.env.PATH ?? '', HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8', NO_UPDATE_NOTIFIER: '1', ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl-C reaches everything in a terminal, so this terminal is a group
    detached: true,
  })
  started.push(child)
  return child
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = once(child, 'close')
  process.kill(-child.pid, 'SIGINT')
  child.stdin?.end()
  await ended
}

/** What a terminal shows, and how to wait for something in it. */
function gather(child: ChildProcess) {
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
      const fail = (): void => finish(() => reject(new Error(`${pattern} did not come:\n${shown}`)))
      const timer = setTimeout(fail, START_TIMEOUT_MS)
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

/** The second terminal: one bash for all blocks, so that what one exports the next one has. */
function openShell() {
  const child = startBash()
  const seen = gather(child)
  let count = 0
  return {
    async run(commands: string): Promise<{ readonly output: string; readonly status: number }> {
      count++
      const file = path.join(folder, `block-${count}.sh`)
      await writeFile(file, commands)
      seen.forget()
      child.stdin?.write(`source ${file} </dev/null 2>&1; printf '\\nend-of-block %s\\n' $?\n`)
      const end = await seen.until(/\nend-of-block (\d+)\n/)
      return { output: seen.text().slice(0, end.index), status: Number(end[1]) }
    },
    end: () => child.stdin?.end(),
  }
}
