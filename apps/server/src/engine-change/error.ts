export const engineChangeCodes = [
  'engine.in_use',
  'engine.not_empty',
  'engine.not_open',
  'engine.other_fleet',
  'engine.differs',
  'engine.elsewhere',
  'engine.busy',
  'engine.no_change',
] as const

export type EngineChangeCode = (typeof engineChangeCodes)[number]

/**
 * Thrown if the engine cannot be changed now. `code` is the reason, and `message` contains what was found and the remedy. If the old engine
 * was already closed, it stays closed until the change is repeated or abandoned.
 */
export class EngineChangeError extends Error {
  override readonly name = 'EngineChangeError'
  readonly code: EngineChangeCode

  constructor(code: EngineChangeCode, message: string) {
    super(message)
    this.code = code
  }
}
