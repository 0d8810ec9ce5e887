/** SQLSTATE classes of permanent errors: data that is invalid for its type, violated constraints, and data beyond a limit of PostgreSQL. */
const REFUSALS = /^(22|23|54)...$/

/** The database's message if it refused the content of a statement; undefined for every other failure. */
export function refusalOf(error: unknown): string | undefined {
  const found = findState(error)
  if (found === undefined || !REFUSALS.test(found)) return undefined
  const message = error instanceof Error ? error.message : String(error)
  return `${found}: ${clean(message).split('\n').at(-1)?.slice(0, 300)}`
}

/** Replaces NUL characters, which PostgreSQL's text type cannot contain. */
export const clean = (text: string): string => text.replaceAll('\u0000', '\ufffd')

/** Finds the SQLSTATE, which `pg`, Prisma and its adapter store at different depths of the error. */
function findState(error: unknown, depth = 0): string | undefined {
  if (error === null || typeof error !== 'object' || depth > 5) return undefined
  for (const key of ['originalCode', 'code'])
    if (key in error) {
      const code: unknown = Reflect.get(error, key)
      if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('P')) return code
    }
  for (const key of ['cause', 'meta', 'driverAdapterError']) {
    const found = key in error ? findState(Reflect.get(error, key), depth + 1) : undefined
    if (found !== undefined) return found
  }
  return undefined
}
