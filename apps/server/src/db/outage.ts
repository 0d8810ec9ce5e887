/** SQLSTATE classes of a server that is away, starts, stops, is a standby, has no room left, or asks to try again: no fault of the statement. */
const SERVER_CLASSES = /^(08|25|40|53|55|57|58)...$/
/** Codes of Node for a network that does not lead to the server; ENOENT is of a socket file. */
const NETWORK = new Set('ECONNREFUSED ECONNRESET ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN EPIPE ENOENT'.split(' '))
/** Codes of Prisma for a server that cannot be reached, or a connection or transaction that was not had in time. */
const PRISMA = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034', 'P2037'])
/** What Prisma's adapter calls the same when a raw statement meets it. */
const ADAPTER_KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'])
/** What `pg` says without a code. */
const WORDS = /^(timeout expired|timeout exceeded when trying to connect|Connection terminated.*|Can't reach database.*)$/
/** How far an error may lie behind others. */
const MOST_CAUSES = 4

/**
 * Why the database is away, has no connection left or cannot take a statement now; undefined for every other error, such as a wrong
 * statement or password, which waiting does not mend. Reads errors of Node, `pg` and Prisma, and what lies behind them.
 */
export function outageOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < MOST_CAUSES; at = at.cause, depth++) {
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

/** What Prisma keeps of the driver's error: a raw statement that fails has P2010 as its code, whatever the reason. */
function adapterErrorOf(error: Error): AdapterError {
  const { meta } = error as { meta?: { driverAdapterError?: { cause?: AdapterError } } }
  return meta?.driverAdapterError?.cause ?? {}
}

const isOf = (codes: ReadonlySet<string>, code: string | undefined): boolean => code !== undefined && codes.has(code)
const isServer = (code: string | undefined): boolean => code !== undefined && SERVER_CLASSES.test(code)
