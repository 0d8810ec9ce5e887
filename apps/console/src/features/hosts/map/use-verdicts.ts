import { useMemo } from 'react'
import { EXPLANATION, readMatrix } from '../../../lib/explanation.ts'
import { useOperation } from '../../../lib/service/api.ts'
import type { Fleet } from '../fleet.ts'
import type { HostsSearch } from '../search.ts'
import { readVerdicts, type Verdicts } from './verdicts.ts'

/** The verdicts of the decision in the URL. */
export interface VerdictsFeed {
  /** Undefined if the URL has no decision, and until the decision is replayed. */
  readonly verdicts: Verdicts | undefined
  readonly headline: string | undefined
  readonly isApproximate: boolean
  /** Why the verdicts cannot be shown. */
  readonly error: unknown
  retry(): void
}

/** Sends the same query as the decision's own page, so that its cached answer is used. */
export function useVerdicts({ store }: Fleet, { decision, instance }: HostsSearch): VerdictsFeed {
  const { data, error, refetch } = useOperation(
    EXPLANATION,
    { id: decision ?? '', instance: instance === undefined ? null : Number(instance) - 1, profile: null },
    { enabled: decision !== undefined, keepPrevious: false, staleMs: 60_000 },
  )
  const explained = data?.explainPlacement
  const matrix = useMemo(() => (explained === undefined ? undefined : readMatrix(explained.matrix)), [explained])
  const pickedRank = explained?.selection?.pickedRank ?? 0
  const { namesVersion, ordinals } = store
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store changes in place, its names with namesVersion
  const verdicts = useMemo(
    () => (matrix === undefined ? undefined : readVerdicts(store, matrix, pickedRank)),
    [store, matrix, pickedRank, namesVersion, ordinals],
  )
  return {
    verdicts,
    headline: explained?.headline,
    isApproximate: explained?.fidelity === 'APPROXIMATE',
    error: decision === undefined ? null : error,
    retry: () => void refetch(),
  }
}
