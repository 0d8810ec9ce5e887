#!/usr/bin/env -S node --max-semi-space-size=32
import { Command } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { addCommands } from './commands/commands.ts'

const program = new Command('gantt').description('Places instances on hosts, and explains each choice.').version(manifest.version)

// Invalid usage exits with 2, for scripts. Without this, the library commander would exit with 1.
program.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))

program.addHelpText(
  'after',
  `
URL and API key of the service: --url and --key, otherwise GANTT_URL and
GANTT_KEY, otherwise the file ~/.config/gantt/config.json, which contains
{"url": "http://127.0.0.1:4400", "key": ""}.

Exit codes: 0 done; 1 refused, for example because no host fits;
2 the call or the key is wrong; 3 the service cannot be reached.

Examples:
  run a demo service, and print links to its pages:
    $ gantt demo
  show the arguments and options of a command, with examples:
    $ gantt select --help`,
)

// A program that reads the output can close the pipe, as `head` does. A service then stops in an orderly way.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
    if (process.listenerCount('SIGTERM') === 0) process.exit()
    process.emit('SIGTERM', 'SIGTERM')
  })

await addCommands(program, process.argv.slice(2))
await program.parseAsync()
