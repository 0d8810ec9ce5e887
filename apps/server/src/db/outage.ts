/**
 * SQLSTATE classes of errors that waiting may resolve: the server is unreachable, starting, stopping, full or a standby, or another
 * transaction was in conflict with the statement.
 */
const SERVER_CLASSES = /^(08|25|40|53|55|57|58)...$/
/** Node's error codes for a server that cannot be reached; ENOENT means a missing socket file. */
const NETWORK = new Set('ECONNREFUSED ECONNRESET ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN EPIPE ENOENT'.split(' '))
/** Prisma's error codes for a server that cannot be reached, or for a connection or transaction that did not start in time. */
const PRISMA = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034', 'P2037'])
/** The codes of Prisma's adapter for unreachable servers in raw statements. */
const ADAPTER_KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'])
/** The messages of `pg` errors that have no code. */
const WORDS =
  /^(timeout expired.*|timeout exceeded when trying to connect|Query read timeout|Connection terminated.*|Client has encountered a connection error and is not queryable|Can't reach database.*)$/
/** At most this many errors are examined: the error itself, its cause, the cause of that cause, and so on. */
const MAX_CAUSES = 4

/**
 * Why the database is unavailable, has no free connection or cannot accept a statement now. Undefined for every other error, such as a
 * wrong statement or password, which waiting does not resolve. Reads errors of Node, `pg` and Prisma, and their causes.
 */
export function outageOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < MAX_CAUSES; at = at.cause, depth++) {
    const { code, message } = at as NodeJS.ErrnoException
    const { originalCode, originalMessage, kind } = adapterErrorOf(at)
    if (isOf(NETWORK, code) || isOf(PRISMA, code) || isServer(code)) return message === '' ? code : message
    if (isServer(originalCode) || isOf(ADAPTER_KINDS, kind)) return originalMessage ?? kind
    if (WORDS.test(message)) return message
  }
  return undefined
}

interface AdapterError {
  readonly originalCode?: string
  readonly originalMessage?: string
  readonly kind?: string
}

/** The driver's error as Prisma passes it on. This is needed because a failed raw statement has the code P2010 whatever the reason. */
function adapterErrorOf(error: Error): AdapterError {
  const { meta } = error as { meta?: { driverAdapterError?: { cause?: AdapterError } } }
  return meta?.driverAdapterError?.cause ?? {}
}

const isOf = (codes: ReadonlySet<string>, code: string | undefined): boolean => code !== undefined && codes.has(code)
const isServer = (code: string | undefined): boolean => code !== undefined && SERVER_CLASSES.test(code)
