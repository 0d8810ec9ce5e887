import { WireError } from '@gantt/scheduler-core/nova'
import { type Case, CaseFileError, readCases } from './cases.ts'
import { judgeEndToEndCase } from './end-to-end-case.ts'
import { isExtraKind, judgeExtraCase } from './extra-case.ts'
import { judgeFilterCase } from './filter-case.ts'
import { judgeRequestSpecCase } from './request-spec-case.ts'
import type { Difference } from './verdicts.ts'
import { judgeWeigherCase } from './weigher-case.ts'

/** The results of the cases of one filter, weigher or other kind. */
export interface KindResult {
  readonly kind: string
  passed: number
  failed: number
  /** The first case that failed. */
  first: { readonly id: string; readonly difference: Difference } | undefined
}

/**
 * Checks every case of the files, and groups the results by kind in order of name. Throws CaseFileError for a line that is not a case of a
 * known kind.
 */
export function runCases(files: readonly string[]): readonly KindResult[] {
  const results = new Map<string, KindResult>()
  for (const file of files) {
    for (const given of readCases(file)) {
      const { kind, judge } = kindOf(given, file)
      const result = results.get(kind) ?? { kind, passed: 0, failed: 0, first: undefined }
      results.set(kind, result)
      const difference = judgeSafely(judge, given)
      if (difference === undefined) {
        result.passed++
        continue
      }
      result.failed++
      result.first ??= { id: given.id, difference }
    }
  }
  return [...results.values()].sort((a, b) => (a.kind < b.kind ? -1 : 1))
}

type Judge = (given: Case) => Difference | undefined

/** The kind of a case, recognised by a field that only this kind has. */
function kindOf(given: Case, file: string): { readonly kind: string; readonly judge: Judge } {
  if (typeof given.filter === 'string') return { kind: `filter ${given.filter}`, judge: judgeFilterCase }
  if (typeof given.weigher === 'string') return { kind: `weigher ${given.weigher}`, judge: judgeWeigherCase }
  if (Array.isArray(given.instance_uuids)) return { kind: 'end to end', judge: judgeEndToEndCase }
  if (given.primitive !== undefined) return { kind: 'RequestSpec', judge: judgeRequestSpecCase }
  if (isExtraKind(given.kind)) return { kind: `rule ${String(given.kind)}`, judge: judgeExtraCase }
  throw new CaseFileError(`${file}: case ${given.id} has an unknown kind; it must have filter, weigher, instance_uuids, primitive or kind`)
}

/**
 * A case with an unreadable document of Nova, or with an unknown filter or weigher, counts as failed, with the error as the actual result.
 * Other errors are thrown.
 */
function judgeSafely(judge: Judge, given: Case): Difference | undefined {
  try {
    return judge(given)
  } catch (error) {
    if (error instanceof WireError || error instanceof RangeError) return { path: '', expected: 'a verdict', actual: error.message }
    throw error
  }
}
