#!/usr/bin/env -S node --max-semi-space-size=64
import { Command } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { addCommands } from './commands/commands.ts'

const program = new Command('gantt').description('Places instances on hosts, and says why.').version(manifest.version)

// usage that cannot be taken ends with 2, for scripts; commander's own code is 1
program.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))

program.addHelpText(
  'after',
  `
Address and key of the service: --url and --key, else GANTT_URL and GANTT_KEY,
else ~/.config/gantt/config.json: {"url": "http://127.0.0.1:4400", "key": ""}.

Exit codes: 0 done; 1 refused: no host fits, or there is no such thing;
2 the call or the key is wrong; 3 the service cannot be reached.

Examples:
  a service to look around in, with links:
    $ gantt demo
  what a command takes, with examples:
    $ gantt select --help`,
)

// whoever reads us may have seen enough, as `head` does, or is gone with its terminal; a service ends in order then
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
    if (process.listenerCount('SIGTERM') === 0) process.exit()
    process.emit('SIGTERM', 'SIGTERM')
  })

await addCommands(program, process.argv.slice(2))
await program.parseAsync()
