import { Command } from 'commander'

const program = new Command('gantt').description('Places instances on hosts, and says why.').version('0.1.0')

await program.parseAsync()
