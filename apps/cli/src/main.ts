import { Command } from 'commander'
import { addCommands } from './commands/commands.ts'
import { addDemo } from './demo/command.ts'
import { addNemesis } from './nemesis/command.ts'
import { addProve } from './prove/prove.ts'
import { addReplay } from './replay/command.ts'
import { addSimulate } from './simulate.ts'

const program = new Command('gantt').description('Places instances on hosts, and says why.').version('0.1.0')

// usage that cannot be taken ends with 2, for scripts; commander's own code is 1
program.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))

program
  .command('serve')
  .description('run the service (settings: PORT, HOST, GANTT_DATA_DIR, DATABASE_URL, GANTT_ADMIN_KEY)')
  .action(async () => {
    // loaded here, so that the other commands start without a server
    const { serve } = await import('@gantt/server')
    await serve()
  })

addCommands(program)

addDemo(program)

addReplay(program)

addProve(program)

addSimulate(program)

addNemesis(program)

// whoever reads us may have seen enough, as `head` does
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

await program.parseAsync()
