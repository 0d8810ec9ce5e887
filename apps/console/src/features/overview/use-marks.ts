import { withTimes } from '@gantt/scheduler-core/query'
import { useOperation } from '../../lib/service/api.ts'
import type { ResultOf } from '../../lib/service/graphql.ts'
import { useScopes } from '../../lib/service/scopes.ts'
import { CHANGES_QUERY, MARKS } from './documents.ts'
import type { Activity } from './figures.ts'

/** A row of the audit about a change that possibly affected the figures of the page. */
export type Mark = ResultOf<typeof MARKS>['auditLog']['nodes'][number]

/** The audit filter that finds operators' changes with an effect on later decisions. */
export const MARKED = `${CHANGES_QUERY} mutation:profileActivate,profileRollback,aggregate*,hostSetStatus,hostEvacuate,hostForget,hostReplace`

/** The changes in a time span, newest first, and their total count. Empty if the key may not read the audit. */
export function useMarks({ since, until }: Pick<Activity, 'since' | 'until'>) {
  const mayRead = useScopes().may('OPERATE')
  const query = withTimes(MARKED, Date.parse(since), Date.parse(until))
  const { data, error, refetch } = useOperation(MARKS, { query }, { enabled: mayRead === true, staleMs: 'static' })
  return { marks: data?.auditLog.nodes ?? [], total: data?.auditLog.totalCount ?? 0, error, retry: () => void refetch() }
}
