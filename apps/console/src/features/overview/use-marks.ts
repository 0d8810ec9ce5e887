import { withTimes } from '@gantt/scheduler-core/query'
import { useOperation } from '../../lib/api.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { useScopes } from '../../lib/scopes.ts'
import { CHANGES_QUERY, MARKS } from './documents.ts'
import type { Activity } from './figures.ts'

/** A row of the audit that may have turned the numbers. */
export type Mark = ResultOf<typeof MARKS>['auditLog']['nodes'][number]

/** Of what people did: what decides otherwise from then on. */
export const MARKED = `${CHANGES_QUERY} mutation:profileActivate,profileRollback,aggregate*,hostSetStatus,hostEvacuate,hostForget,hostReplace`

/** The changes of a span, newest first, and how many there are in all; none for a key that may not read the audit. */
export function useMarks({ since, until }: Pick<Activity, 'since' | 'until'>) {
  const mayRead = useScopes().may('OPERATE')
  const query = withTimes(MARKED, Date.parse(since), Date.parse(until))
  const { data, error, refetch } = useOperation(MARKS, { query }, { enabled: mayRead === true, staleMs: 'static' })
  return { marks: data?.auditLog.nodes ?? [], total: data?.auditLog.totalCount ?? 0, error, retry: () => void refetch() }
}
