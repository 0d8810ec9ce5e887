import { Text } from '@mantine/core'
import { formatCount, formatShare, formatTime, titleOfTime, useTimeZone } from '../../../lib/format.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { Figures } from '../../../ui/chart/figures.tsx'
import { Heading } from '../../../ui/heading.tsx'
import { summaryOf } from '../course.ts'
import { type PROFILE, ROLLOUT } from '../documents.ts'
import { Followed } from './followed.tsx'

type Profile = NonNullable<ResultOf<typeof PROFILE>['profile']>
type Rollout = NonNullable<Profile['rollout']>

/** The active version, and the results of a rollout so far. */
export function RolloutPanel({ profile }: { readonly profile: Profile }) {
  const { name, rollout } = profile
  return (
    <section aria-label="Rollout" data-rollout={rollout?.mode ?? 'none'}>
      <Heading keys="1" call={rollout === null ? undefined : { document: ROLLOUT, variables: { name } }}>
        Rollout
      </Heading>
      <Text data-summary-of={name} role="status">
        {summaryOf(profile, name)}
      </Text>
      {rollout === null ? null : <Counted profile={profile} rollout={rollout} />}
    </section>
  )
}

function Counted({ profile, rollout }: { readonly profile: Profile; readonly rollout: Rollout }) {
  const zone = useTimeZone()
  const { since, sampled, agreement, newFailures, newPlacements, skipped, notSolved } = rollout
  return (
    <>
      <Text size="xs" c="dimmed">
        Since <span title={titleOfTime(since)}>{formatTime(since, zone)}</span>, as counted by the answering replica.
        {sampled === 0 ? ' No decisions by both versions yet.' : ''}
        {skipped === 0 ? '' : ` For ${formatCount(skipped)} decisions the time ran out.`}
        {notSolved === 0 ? '' : ` ${formatCount(notSolved)} decisions would have needed a solver and were not compared.`}
      </Text>
      {sampled === 0 ? null : (
        <Figures
          figures={[
            { label: 'decided by both versions', value: formatCount(sampled) },
            { label: 'same outcome', value: agreement === null ? '–' : formatShare(agreement) },
            { label: 'newly failing', value: formatCount(newFailures), isBad: newFailures > 0 },
            { label: 'newly placed', value: formatCount(newPlacements) },
          ]}
        />
      )}
      <Followed profile={profile} />
    </>
  )
}
