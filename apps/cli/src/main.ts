#!/usr/bin/env -S node --max-semi-space-size=64
import { Command } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { addCluster } from './cluster/command.ts'
import { addCommands } from './commands/commands.ts'
import { withExamples } from './commands/output.ts'
import { addConformance } from './conformance/command.ts'
import { addDemo } from './demo/command.ts'
import { addNemesis } from './nemesis/command.ts'
import { addProve } from './prove/prove.ts'
import { addReplay } from './replay/command.ts'
import { addSimulate } from './simulate.ts'

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

const serve = program
  .command('serve')
  .description('run the service (settings: PORT, HOST, GANTT_DATA_DIR, DATABASE_URL, GANTT_ADMIN_KEY)')
  .action(async () => {
    // loaded here, so that the other commands start without a server
    const server = await import('@gantt/server')
    await server.serve()
  })
withExamples(serve, [
  ['gantt serve', 'on port 4400, with a PostgreSQL of its own'],
  ['PORT=0 GANTT_DATA_DIR=./data gantt serve', 'on any port that is free, with its data here'],
  ['DATABASE_URL=postgresql://gantt@db.example.org/gantt gantt serve', 'on a PostgreSQL server of yours'],
])

addCommands(program)

addDemo(program)

addCluster(program)

addReplay(program)

addProve(program)

addSimulate(program)

addNemesis(program)

addConformance(program)

// whoever reads us may have seen enough, as `head` does, or is gone with its terminal; a service ends in order then
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
    if (process.listenerCount('SIGTERM') === 0) process.exit()
    process.emit('SIGTERM', 'SIGTERM')
  })

await program.parseAsync()
