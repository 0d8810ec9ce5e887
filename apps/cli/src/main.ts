import { Command } from 'commander'
import { addProve } from './prove/prove.ts'
import { addReplay } from './replay/command.ts'

const program = new Command('gantt').description('Places instances on hosts, and says why.').version('0.1.0')

program
  .command('serve')
  .description('run the service (settings: PORT, HOST, GANTT_DATA_DIR, DATABASE_URL, GANTT_ADMIN_KEY)')
  .action(async () => {
    // loaded here, so that the other commands start without a server
    const { serve } = await import('@gantt/server')
    await serve()
  })

addReplay(program)

addProve(program)

await program.parseAsync()
