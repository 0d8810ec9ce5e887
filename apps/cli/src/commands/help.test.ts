import { Command } from 'commander'
import { expect, test } from 'vitest'
import { addCluster } from '../cluster/command.ts'
import { addConformance } from '../conformance/command.ts'
import { addDemo } from '../demo/command.ts'
import { addNemesis } from '../nemesis/command.ts'
import { addProve } from '../prove/prove.ts'
import { addReplay } from '../replay/command.ts'
import { addSimulate } from '../simulate.ts'
import { addCommands } from './commands.ts'

const program = new Command('gantt').configureOutput({ getOutHelpWidth: () => 80 })
for (const add of [addCommands, addDemo, addCluster, addReplay, addProve, addSimulate, addNemesis, addConformance]) add(program)

/** A command and all below it, each with its whole name. */
const commandsBelow = (command: Command, name: string): (readonly [string, Command])[] => [
  [name, command],
  ...command.commands.flatMap((below) => commandsBelow(below, `${name} ${below.name()}`)),
]

/** What `--help` prints, examples included. */
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
