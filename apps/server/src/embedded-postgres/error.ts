export const embeddedPostgresCodes = [
  'postgres.no_binaries',
  'postgres.binaries_broken',
  'postgres.state_dir_closed',
  'postgres.state_dir_foreign',
  'postgres.initdb_failed',
  'postgres.wrong_version',
  'postgres.wrong_password',
  'postgres.socket_dir_foreign',
  'postgres.start_failed',
  'postgres.timeout',
  'postgres.in_use',
] as const

export type EmbeddedPostgresErrorCode = (typeof embeddedPostgresCodes)[number]

/**
 * Thrown if the embedded server cannot be used. `code` is the kind of failure; `message` explains it, and says what to do if there is a
 * remedy.
 */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError'
  readonly code: EmbeddedPostgresErrorCode

  constructor(code: EmbeddedPostgresErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The code of an error of Node (`ENOENT`), of PostgreSQL (`57P03`) or of this service; undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : undefined
}
