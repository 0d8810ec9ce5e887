import type { Command } from 'commander'
import { withExamples } from '../../output/output.ts'

/** `gantt serve`: runs the service. */
export function addServe(program: Command): void {
  const serve = program
    .command('serve')
    .description('run the service (settings: PORT, HOST, GANTT_DATA_DIR, DATABASE_URL, GANTT_ADMIN_KEY)')
    .action(async () => {
      // Loaded on demand, so that the other commands start without loading the server.
      const server = await import('@gantt/server')
      await server.serve()
    })
  withExamples(serve, [
    ['gantt serve', 'run the service on port 4400, with an embedded PostgreSQL server'],
    ['PORT=0 GANTT_DATA_DIR=./data gantt serve', 'run the service on any free port, with the data in this folder'],
    ['DATABASE_URL=postgresql://gantt@db.example.org/gantt gantt serve', 'run the service with your own PostgreSQL server'],
  ])
}
