import { ConfigError, readConfig } from './config.ts'
import { openDatabase } from './db/open-database.ts'
import { openService } from './service.ts'

export type ServeOptions = {
  readonly environment?: NodeJS.ProcessEnv
  /** Progress and trouble, for people. */
  readonly say?: (line: string) => void
  /** What a caller needs to know: the address, and once the admin key. */
  readonly tell?: (line: string) => void
}

/** Runs the service until it is told to stop by SIGINT or SIGTERM. The process ends with 1 when it could not start. */
export async function serve(options: ServeOptions = {}): Promise<void> {
  const { environment = process.env, say = toStandardError, tell = toStandardOutput } = options
  const stopped = stopSignal()
  try {
    const { host, port, dataDir, databaseUrl, adminKey } = readConfig(environment)
    const database = await openDatabase({
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      ...(dataDir === undefined ? {} : { stateDir: dataDir }),
      onLost: () => say('The database ended; starting it again.'),
      onRecovered: (mode) => say(`The database is back (${mode}).`),
    })
    say(`Database ready (${database.mode}, ${database.applied.length} migrations applied).`)
    try {
      const service = await openService({ connection: database.connection, host, port, adminKey, warn: say })
      if (service.newAdminKey !== undefined) tell(`Admin key (shown once): ${service.newAdminKey}`)
      tell(`Gantt is ready at ${service.url}`)
      say(`Stopping: ${await stopped.promise}.`)
      await service.close()
    } finally {
      await database.close()
    }
    say('Stopped.')
  } catch (error) {
    say(explain(error))
    process.exitCode = 1
  } finally {
    stopped.forget()
  }
}

const toStandardError = (line: string): void => void process.stderr.write(`${line}\n`)
const toStandardOutput = (line: string): void => void process.stdout.write(`${line}\n`)

/** Why the service could not start, with a cure where there is a likely one. */
function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  const { code, address, port, message } = error as NodeJS.ErrnoException & { address?: string; port?: number }
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${address} is in use. Stop what uses it, or set PORT to another one (0: any that is free).`
  if (code === 'EACCES' && port !== undefined)
    return `Port ${port} of ${address} may not be used by this account. Set PORT to one above 1023.`
  if (code === 'EADDRNOTAVAIL') return `${address} is no address of this machine. Set HOST to one that is, such as 127.0.0.1.`
  return `The service could not start: ${error instanceof Error ? (code === undefined ? (error.stack ?? message) : message) : String(error)}`
}

/** Resolves at the first signal; further ones are ignored, since npm may pass on a signal that also reached us directly. */
function stopSignal(): { readonly promise: Promise<NodeJS.Signals>; forget(): void } {
  const signals = ['SIGINT', 'SIGTERM'] as const
  const { promise, resolve } = withResolvers<NodeJS.Signals>()
  for (const signal of signals) process.on(signal, resolve)
  return {
    promise,
    forget: () => {
      for (const signal of signals) process.off(signal, resolve)
    },
  }
}

function withResolvers<Value>() {
  let resolve: (value: Value) => void = () => undefined
  const promise = new Promise<Value>((fulfil) => {
    resolve = fulfil
  })
  return { promise, resolve }
}
