import { Table, Text } from '@mantine/core'
import { formatCount, formatTime, titleOfTime, useTimeZone } from '../../lib/format.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { Figures } from '../../ui/figures.tsx'
import { Heading } from '../../ui/heading.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { standingOf } from './course.ts'
import { DecisionLink, kindWord } from './disagreement.tsx'
import type { PROFILE } from './documents.ts'

type Profile = NonNullable<ResultOf<typeof PROFILE>['profile']>
type Rollout = NonNullable<Profile['rollout']>

/** Who decides now; of a version that is tried, how it fares as counted so far. */
export function RolloutPanel({ profile }: { readonly profile: Profile }) {
  const { name, rollout } = profile
  return (
    <section aria-label="What decides" data-rollout={rollout?.mode ?? 'none'}>
      <Heading keys="1">What decides</Heading>
      <Text data-standing-of={name} role="status">
        {standingOf(profile, name)}
      </Text>
      {rollout === null ? null : <Counted rollout={rollout} />}
    </section>
  )
}

function Counted({ rollout }: { readonly rollout: Rollout }) {
  const zone = useTimeZone()
  const { since, sampled, agreement, newFailures, newPlacements, skipped, notSolved, disagreements } = rollout
  return (
    <>
      <Text size="xs" c="dimmed">
        Since <span title={titleOfTime(since)}>{formatTime(since, zone)}</span>, as counted by the replica that answers.
        {sampled === 0 ? ' No decision was made by both versions yet.' : ''}
        {skipped === 0 ? '' : ` For ${formatCount(skipped)} decisions there was no time.`}
        {notSolved === 0 ? '' : ` About ${formatCount(notSolved)} decisions a solver would have to be asked: they were not compared.`}
      </Text>
      {sampled === 0 ? null : (
        <Figures
          figures={[
            { label: 'decided by both', value: formatCount(sampled) },
            { label: 'alike', value: agreement === null ? '–' : `${Number((agreement * 100).toFixed(1))} %` },
            { label: 'newly failing', value: formatCount(newFailures), isBad: newFailures > 0 },
            { label: 'newly placed', value: formatCount(newPlacements) },
          ]}
        />
      )}
      {disagreements.length === 0 ? null : (
        <ScrollBox label="Decisions that the two versions make otherwise" maxHeight="220px">
          <Table verticalSpacing={3} stickyHeader>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Decision</Table.Th>
                <Table.Th>By the version tried</Table.Th>
                <Table.Th>Because</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {disagreements.map(({ decision, kind, because }) => (
                <Table.Tr key={decision.id} data-disagreement={kind}>
                  <Table.Td className="profile-narrow">
                    <DecisionLink decision={decision} />
                  </Table.Td>
                  <Table.Td className="profile-narrow">{kindWord(kind)}</Table.Td>
                  <Table.Td>{because}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollBox>
      )}
    </>
  )
}
