import { Command } from 'commander'
import { vi } from 'vitest'
import { addCommands } from '../commands/commands.ts'

export interface CommandOutput {
  readonly out: string
  readonly err: string
  readonly code: number
}

/** Runs `gantt ...` in this environment. Returns its output and its exit code. */
export async function gantt(environment: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<CommandOutput> {
  const output = { out: '', err: '' }
  let exited: number | undefined
  process.exitCode = 0
  for (const name of ['GANTT_URL', 'GANTT_KEY', 'GANTT_CONFIG', 'XDG_CONFIG_HOME']) vi.stubEnv(name, '')
  vi.stubEnv('HOME', '/nowhere')
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    output.out += text
    return true
  })
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    output.err += text
    return true
  })
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    exited = Number(code)
    throw new Error('exit')
  })
  const program = new Command('gantt').exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  try {
    await addCommands(program, args)
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (exited === undefined) throw error
  } finally {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
  }
  const code = exited ?? Number(process.exitCode ?? 0)
  process.exitCode = 0
  return { ...output, code }
}

/** The width of the widest line. */
export const widthOf = (text: string): number => Math.max(...text.split('\n').map((line) => line.length))

/** Parses the output of `--json`, which must be exactly one line. */
export function oneLine<Value>({ out }: CommandOutput): Value {
  if (out.indexOf('\n') !== out.length - 1) throw new Error(`not one line: ${JSON.stringify(out)}`)
  return JSON.parse(out)
}
