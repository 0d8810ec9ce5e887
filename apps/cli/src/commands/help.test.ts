import { proofs } from '@gantt/proofs'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { addCommands, commands } from './commands.ts'

const all = Object.entries({ ...commands, ...proofs })
const program = new Command('gantt').configureOutput({ getOutHelpWidth: () => 80 })
for (const [, load] of all) {
  const add = await load()
  add(program)
}

/** A command and all of its subcommands, each with its full name. */
const commandsBelow = (command: Command, name: string): (readonly [string, Command])[] => [
  [name, command],
  ...command.commands.flatMap((below) => commandsBelow(below, `${name} ${below.name()}`)),
]

/** The output of `--help`, including the examples. */
function helpOf(command: Command): string {
  let out = ''
  command.configureOutput({ writeOut: (text) => (out += text) })
  command.outputHelp()
  return out
}

test.each(commandsBelow(program, 'gantt'))('the help of %s is at most 80 columns wide', (_name, command) => {
  expect(
    helpOf(command)
      .split('\n')
      .filter((line) => line.length > 80),
  ).toEqual([])
})

test('no help shows a default in the upper case of the API, because the help writes values in another form', () => {
  const shown = commandsBelow(program, 'gantt').flatMap(([name, command]) =>
    command.options
      .filter(({ defaultValue, defaultValueDescription = defaultValue }) => /^[A-Z]+(_[A-Z]+)*$/.test(String(defaultValueDescription)))
      .map(({ long }) => `${name} ${long}`),
  )
  expect(shown).toEqual([])
})

test('each command has the name under which commands.ts lists it', () => {
  expect(program.commands.map((command) => command.name())).toEqual(all.map(([name]) => name))
})

/** A program with the commands that are loaded for these arguments. */
async function addedFor(...words: readonly string[]): Promise<Command> {
  const added = new Command('gantt')
  await addCommands(added, words)
  return added
}

const namesOf = ({ commands: added }: Command): string[] => added.map((command) => command.name())

test.each([
  { name: '--version loads no command', words: ['--version'], loaded: [] },
  { name: '-V loads no command', words: ['-V'], loaded: [] },
  { name: 'a command is loaded alone', words: ['hosts', '--json'], loaded: ['hosts'] },
  { name: 'a command is loaded alone for its help', words: ['help', 'claims'], loaded: ['claims'] },
  { name: 'a proof is loaded alone', words: ['prove', 'race'], loaded: ['prove'] },
  { name: '--help loads all commands', words: ['--help'], loaded: all.map(([name]) => name) },
  { name: 'an unknown command loads all commands', words: ['constructor'], loaded: all.map(([name]) => name) },
  { name: 'a call without arguments loads all commands', words: [], loaded: all.map(([name]) => name) },
])('$name', async ({ words, loaded }) => {
  expect(namesOf(await addedFor(...words))).toEqual(loaded)
})

test('the list of commands has the description of each command, including the proofs', async () => {
  const describedBy = ({ commands: added }: Command) => added.map((command) => [command.name(), command.description()])
  expect(describedBy(await addedFor('--help'))).toEqual(describedBy(program))
})
