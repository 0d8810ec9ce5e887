import { ofEachKind, type PartList, type PartLists, type Parts, type Plugin, shorten } from '@gantt/scheduler-core'
import { containParts, type Fail } from './contain-part.ts'

/** The last failure in a part of a plug-in, such as a filter or a weigher. */
export interface Failure {
  /** The name of the part. */
  readonly part: string
  /** The error that the part threw, or the invalid value that the part returned. */
  readonly message: string
  /** Milliseconds since 1970, by this process's clock. */
  readonly at: number
}

/** The failures of a plug-in since the process started. */
export interface Failures {
  /** How many calls failed: preparations and calls for single hosts, or decisions of a scheduler. */
  readonly count: number
  readonly last: Failure | undefined
}

export interface Contained {
  readonly plugin: Plugin
  readonly failures: Failures
  /** Counts a failure of a lease provider. The wrapper does not call lease providers, so their callers count the failures. */
  readonly fail: Fail
}

export interface ContainOptions {
  warn(message: string): void
  now(): number
}

/** The interval between two log lines about one part, because a part may fail on every host of every request. */
const REPORT_EVERY_MS = 60_000
/** The maximum length in characters of the error text of a filter, weigher or scheduler. Longer texts are shortened. */
const MAX_CHARACTERS = 200

/**
 * Contains the failures of a plug-in: all are counted, the last one is stored, and at most one per part and minute is logged. A filter that
 * fails refuses the host with ERROR, a weigher that fails gives the lowest score, and a scheduler that fails refuses all hosts with ERROR.
 * No exception of the plug-in reaches other code.
 */
export function containPlugin(plugin: Plugin, { warn, now }: ContainOptions): Contained {
  let count = 0
  let last: Failure | undefined
  const reported = new Map<string, { readonly at: number; readonly error: Error }>()
  const of = `plug-in ${plugin.name} ${plugin.version}`
  const fail: Fail = (part, what) => {
    count++
    const message = shorten(what, MAX_CHARACTERS)
    const at = now()
    last = { part, message, at }
    const before = reported.get(part)
    const text = `${of}: ${message}`
    if (before !== undefined && at - before.at < REPORT_EVERY_MS && before.error.message === text) return before.error
    if (before === undefined || at - before.at >= REPORT_EVERY_MS)
      warn(`${part} of ${of} failed (${count} failures since the start): ${message}`)
    // All hosts with the same message share one error object, because creating an error costs more than calling the part.
    const error = new Error(text)
    reported.set(part, { at: before !== undefined && at - before.at < REPORT_EVERY_MS ? before.at : at, error })
    return error
  }
  return {
    plugin: {
      ...plugin,
      ...(ofEachKind((list) => containAll(plugin, list, fail)) as PartLists),
    },
    fail,
    failures: {
      get count() {
        return count
      },
      get last() {
        return last
      },
    },
  }
}

const containAll = <List extends PartList>(plugin: PartLists, list: List, fail: Fail): readonly Parts[List][] =>
  plugin[list].map((part) => containParts[list](part, fail))
