import { Skeleton, Text } from '@mantine/core'
import { useOperation } from '../../../lib/service/api.ts'
import { Problem } from '../../../ui/problem.tsx'
import { ROLLOUT } from '../documents.ts'
import { AgreementOverTime } from './agreement.tsx'
import { Disagreements } from './disagreements.tsx'
import type { Versions } from './rank-points.ts'
import { RankScatter } from './rank-scatter.tsx'
import './followed.css'
import { Stale } from '../../../ui/stale.tsx'

const EVERY_MS = 15_000
const HEIGHT = 120

interface FollowedProps {
  readonly profile: {
    readonly name: string
    readonly active: { readonly number: number }
    readonly rollout: { readonly since: string; readonly candidate: { readonly number: number } } | null
  }
}

/** The results of a version since its rollout began, from all replicas. */
export function Followed({ profile: { name, active, rollout } }: FollowedProps) {
  const { data, error, refetch, dataUpdatedAt } = useOperation(ROLLOUT, { name }, { keepPrevious: true, everyMs: EVERY_MS })
  const found = data?.profile?.rollout
  if (rollout === null) return null
  if (data === undefined)
    return error ? (
      <Problem error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton height={HEIGHT} role="status" aria-label="The rollout is being loaded" />
    )
  // These results belong to another rollout than the rollout that is shown above, so they are not shown.
  if (!found || found.since !== rollout.since) return null
  const versions: Versions = { name, active: active.number, candidate: rollout.candidate.number }
  return (
    <Stale error={error} atMs={dataUpdatedAt} everyMs={EVERY_MS}>
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
      <AgreementOverTime steps={found.overTime} versions={versions} />
      {found.disagreements.length === 0 ? (
        <Text size="sm" c="dimmed" data-none-otherwise>
          {found.overTime.some(({ sampled }) => sampled > 0)
            ? 'Both versions made the same decisions, so there are no ranks to compare.'
            : ''}
        </Text>
      ) : (
        <>
          <RankScatter disagreements={found.disagreements} versions={versions} />
          <Disagreements disagreements={found.disagreements} versions={versions} />
        </>
      )}
    </Stale>
  )
}
