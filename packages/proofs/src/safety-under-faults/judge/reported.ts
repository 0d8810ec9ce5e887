import type { FinalClaim, Operation, Report } from '../history.ts'
import { isOf, type Of } from './lifetimes.ts'

/** The last report that a host was answered. */
export const lastReportOf = (history: readonly Operation[], host: string): Report | undefined =>
  history.findLast(
    (operation): operation is Of<'report'> =>
      isOf('report')(operation) &&
      operation.call.host === host &&
      operation.outcome.type === 'ok' &&
      operation.outcome.answer.type === 'done',
  )?.call

/** What a host reports in use of a class, what its live claims hold whose instances it lists, and what its others hold. */
export function countOf(claims: readonly FinalClaim[], report: Report | undefined, resourceClass: string) {
  const isListed = ({ instance }: FinalClaim): boolean => instance !== null && (report?.instances ?? []).includes(instance)
  return {
    reported: report?.used[resourceClass] ?? 0,
    counted: sumOf(claims.filter(isListed), resourceClass),
    others: sumOf(
      claims.filter((claim) => !isListed(claim)),
      resourceClass,
    ),
  }
}

export const sumOf = (claims: readonly FinalClaim[], resourceClass: string): number =>
  claims.reduce((sum, { amounts }) => sum + (amounts[resourceClass] ?? 0), 0)
