import fs from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { CommandFailure, EXIT } from '../../call/failure.ts'
import { counted } from '../../output/format.ts'
import { JSON_OPTION, type Result, run, withExamples } from '../../output/output.ts'
import { wrap } from '../../output/table.ts'
import { notEmpty } from '../host/hosts.ts'

interface Flags {
  readonly dataDir?: string
  readonly json?: true
}

/** `gantt db stop`: stops an embedded database server that no service uses. */
export function addDb(program: Command): void {
  const db = program.command('db').description('manage the embedded database')
  const stop = db
    .command('stop')
    .description(
      'stop an embedded database server that is still running, e.g. after kill -9 of the service; exits with 1 while it is in use',
    )
    .option('--data-dir <folder>', 'data folder of the database; GANTT_DATA_DIR if not given', notEmpty)
    .option(...JSON_OPTION)
    .action((flags: Flags) => run(flags, () => stopDatabase(flags)))
  withExamples(stop, [
    ['gantt db stop', 'stop the database server of this account'],
    ['gantt db stop --data-dir /srv/gantt', 'stop the database server in another folder'],
  ])
}

/**
 * Stops the server if no service uses it. This process joins the users of the server and leaves again. The last user to leave stops the
 * server, so the server of a running service is not stopped.
 */
async function stopDatabase({ dataDir }: Flags): Promise<Result> {
  // Loaded on demand, so that the other commands start without loading the server.
  const { defaultStateDir, findPostmaster, openStateDir, startEmbeddedPostgres } = await import('@gantt/server')
  const stateDir = dataDir ?? defaultStateDir()
  try {
    // The check must not create the folder.
    const isThere = fs.existsSync(path.join(stateDir, 'data')) && findPostmaster(openStateDir(stateDir)) !== undefined
    if (!isThere) return toResult(stateDir, 'not-running', 0)
    const server = await startEmbeddedPostgres({ stateDir })
    const departure = await server.stop()
    return toResult(stateDir, departure === 'left' ? 'in-use' : 'stopped', server.owners - 1)
  } catch (error) {
    throw new CommandFailure(
      EXIT.refused,
      `the database in ${stateDir} cannot be stopped: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

function toResult(stateDir: string, outcome: 'stopped' | 'in-use' | 'not-running', others: number): Result {
  const sentences = {
    stopped: `The database server of ${stateDir} is stopped.`,
    'in-use': `${counted(others, 'service')} still ${others === 1 ? 'uses' : 'use'} the database server of ${stateDir}. Stop ${others === 1 ? 'it' : 'them'} first; the last one stops the server.`,
    'not-running': `No database server runs on ${stateDir}.`,
  }
  return {
    lines: wrap(sentences[outcome]),
    json: { stateDir, outcome, services: others },
    exitCode: outcome === 'in-use' ? EXIT.refused : EXIT.done,
  }
}
