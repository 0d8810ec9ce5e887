import { Command, Help } from 'commander'
import { expect, test } from 'vitest'
import { commands } from './commands.ts'

const INTRO = `# The command line

Generated from \`apps/cli/src/commands\` by \`npm run docs:reference\`; a test fails where this page and the code differ.

\`gantt COMMAND --help\` prints the same with examples. Commands that call the service take \`--url\` and \`--key\`, or \`GANTT_URL\` and \`GANTT_KEY\`, or the configuration file ([settings](settings.md#the-command-line)). Exit codes: 0 done; 1 refused or failed; 2 the call was wrong. The proofs (\`prove\`, \`nemesis\` and others) are run from a checkout: [Tests](testing.md).
`

const help = new Help()

/** A command and all of its subcommands, each with its full name. */
const commandsBelow = (command: Command, name: string): (readonly [string, Command])[] => [
  [name, command],
  ...command.commands.flatMap((below) => commandsBelow(below, `${name} ${below.name()}`)),
]

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

function sectionOf(name: string, command: Command): string {
  const rows = [
    ...help.visibleArguments(command).map((argument) => [help.argumentTerm(argument), help.argumentDescription(argument)]),
    ...help.visibleOptions(command).map((option) => [help.optionTerm(option), help.optionDescription(option)]),
  ].filter(([term]) => term !== '-h, --help')
  const usage = help.commandUsage(command).replace(/^.*?\bgantt\b/, 'gantt')
  const table =
    rows.length === 0
      ? ''
      : `\n| | |\n|---|---|\n${rows.map(([term = '', text = '']) => `| \`${cell(term)}\` | ${cell(text)} |`).join('\n')}\n`
  return `\n${'#'.repeat(Math.min(4, 1 + name.split(' ').length))} ${name}\n\n${command.description()}\n\n    ${usage}\n${table}`
}

test('docs/command-line.md has every command and flag (npm run docs:reference writes it)', async () => {
  const program = new Command('gantt')
  for (const load of Object.values(commands)) {
    const add = await load()
    add(program)
  }
  const sections = program.commands
    .flatMap((command) => commandsBelow(command, command.name()))
    .map(([name, command]) => sectionOf(name, command))
  expect(sections.length).toBeGreaterThan(30)
  await expect(`${INTRO}${sections.join('')}`).toMatchFileSnapshot('../../../../docs/command-line.md')
})
