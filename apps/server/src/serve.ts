import { openDatabase } from './db/open-database.ts'

export type ServeOptions = {
  readonly environment?: NodeJS.ProcessEnv
  /** Progress for people. */
  readonly say?: (line: string) => void
}

/** Runs the service until it is told to stop by SIGINT or SIGTERM. So far that is the database; the API goes between. */
export async function serve({ environment = process.env, say = sayOnStandardError }: ServeOptions = {}): Promise<void> {
  const { DATABASE_URL: databaseUrl } = environment
  const database = await openDatabase({
    ...(databaseUrl ? { databaseUrl } : {}),
    onLost: () => say('The database ended; starting it again.'),
    onRecovered: (mode) => say(`The database is back (${mode}).`),
  })
  say(`Database ready (${database.mode}, ${database.applied.length} migrations applied).`)

  say(`Stopping: ${await stopSignal()}.`)
  await database.close()
}

function sayOnStandardError(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Resolves at the first signal; further ones are ignored, since npm may pass on a signal that also reached us directly. */
function stopSignal(): Promise<NodeJS.Signals> {
  const keepAlive = setInterval(() => {}, 60_000)
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        clearInterval(keepAlive)
        resolve(signal)
      })
    }
  })
}
