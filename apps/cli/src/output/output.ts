import { type Command, Option } from 'commander'
import { CommandFailure, type ExitCode } from '../call/failure.ts'
import { shownJson, shownLine } from './escape.ts'

/** Prints a note for people on standard error. Standard output contains only the result. */
export function note(line: string): void {
  process.stderr.write(`${shownLine(line)}\n`)
}

/** The result of a command: lines for people, a value for programs, and a page for a ticket. */
export interface Result {
  readonly lines: readonly string[]
  readonly json: unknown
  /** The page for a ticket. Present only for commands that accept --markdown (`withForms`). */
  readonly markdown?: readonly string[]
  /** The exit code. Absent: 0. A refusal is a result too, with exit code 1. */
  readonly exitCode?: ExitCode
}

/** The form of the output: lines for people if no field is set. */
export interface Form {
  readonly json?: true
  readonly markdown?: true
}

/** Prints the result on standard output. With `json` the result is exactly one line. */
export function print({ lines, json, markdown }: Result, form: Form): void {
  if (form.markdown && markdown === undefined) throw new Error('the command takes --markdown, but its result has no page')
  const page = form.markdown && markdown !== undefined ? markdown : lines
  const shown = form.json ? [shownJson(json)] : page.map(shownLine)
  process.stdout.write(`${shown.join('\n')}\n`)
}

/** Runs a command and prints its result. A CommandFailure becomes a message and an exit code. */
export async function run(flags: Form, command: () => Promise<Result>): Promise<void> {
  try {
    const result = await command()
    print(result, flags)
    if (result.exitCode !== undefined) process.exitCode = result.exitCode
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    note(`error: ${error.message}`)
    process.exitCode = error.exitCode
  }
}

/** The flag `--json` with its help text, as arguments of commander's `option`. */
export const JSON_OPTION = ['--json', 'print the result as one line of JSON, the last line on standard output'] as const

/** Adds the options of every command that calls a service. */
export const withService = (command: Command): Command =>
  command
    .option('--url <url>', 'URL of the service; GANTT_URL if not given')
    .option('--key <key>', 'API key for the service; GANTT_KEY if not given')
    .option(...JSON_OPTION)

/** Adds the options of every command that calls a service, and --markdown for commands whose `Result` has a page for a ticket. */
export const withForms = (command: Command): Command =>
  withService(command).addOption(new Option('--markdown', 'print the result as Markdown, for example for a ticket').conflicts('json'))

/** Adds examples below the help of a command: what to type, and why. */
export const withExamples = (command: Command, examples: readonly (readonly [type: string, what: string])[]): Command =>
  command.addHelpText('after', `\nExamples:\n${examples.map(([type, what]) => `  ${what}:\n    $ ${inShellLines(type)}`).join('\n')}`)

const HELP_WIDTH = 80

/** A command for the shell, continued on further lines if it is wider than a terminal. */
function inShellLines(typed: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of typed.split(/ (?=--|\|)/)) {
    const indent = lines.length === 0 ? 6 : 8
    if (line !== '' && indent + line.length + 1 + word.length + 2 > HELP_WIDTH) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join(' \\\n        ')
}
