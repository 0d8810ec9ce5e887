const MAX_LINES = 100
/** For an internal error, this many lines of its stack are stored. */
const LINES_OF_DEFECT = 6

/** The output of a service, line by line. */
export interface ServiceWords {
  /** The last lines, newest last. */
  readonly words: readonly string[]
  /** The internal errors that made requests fail, each with the first lines of its stack. */
  readonly defects: readonly string[]
  hear(line: string): void
}

export function createServiceWords(): ServiceWords {
  const words: string[] = []
  const defects: string[] = []
  let stackLines = 0
  return {
    words,
    defects,
    hear(line) {
      words.push(line)
      if (words.length > MAX_LINES) words.shift()
      if (/request \S+ failed: /.test(line)) {
        defects.push(line)
        stackLines = LINES_OF_DEFECT
      } else if (stackLines > 0) {
        defects.push(`${defects.pop()} | ${line.trim()}`)
        stackLines--
      }
    },
  }
}
