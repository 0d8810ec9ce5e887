import type { FinalClaim, Operation, Report } from '../history.ts'
import { isOf, type Of } from './lifetimes.ts'

/** The last of a host's reports that was answered. */
export const lastReportOf = (history: readonly Operation[], host: string): Report | undefined =>
  history.findLast(
    (operation): operation is Of<'report'> =>
      isOf('report')(operation) &&
      operation.call.host === host &&
      operation.outcome.type === 'ok' &&
      operation.outcome.answer.type === 'done',
  )?.call

/** Whether the claim, or the move that made it, is unconfirmed. If it is, the host can list the instance with its former size. */
export const isUnconfirmed = ({ state, moveOf = null }: FinalClaim): boolean =>
  state === 'RESERVED' || (state === 'CONFIRMED' && moveOf !== null)

/**
 * For a class on a host: the reported use, the amounts of the live claims whose instances the report lists, and the amounts of all other
 * live claims.
 */
export function countOf(claims: readonly FinalClaim[], report: Report | undefined, resourceClass: string) {
  const isListed = (claim: FinalClaim): boolean =>
    claim.instance !== null && (report?.instances ?? []).includes(claim.instance) && !isUnconfirmed(claim)
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
