import { Table } from '@mantine/core'
import { formatCount } from '../../lib/format.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { DecisionLink, kindWord } from './disagreement.tsx'
import type { FollowedRollout } from './documents.ts'
import { otherVersion, type Versions } from './rank-points.ts'

type Disagreement = FollowedRollout['disagreements'][number]

interface DisagreementsProps {
  readonly disagreements: readonly Disagreement[]
  readonly versions: Versions
}

/** What the two versions decide otherwise, with the rank of each choice by the version that did not make it. */
export function Disagreements({ disagreements, versions }: DisagreementsProps) {
  const { active, candidate } = versions
  return (
    <ScrollBox label="Decisions that the two versions make otherwise" maxHeight="260px">
      <Table verticalSpacing={3} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Decision</Table.Th>
            <Table.Th>By the version tried</Table.Th>
            <Table.Th>Host of @{active}</Table.Th>
            <Table.Th className="number">rank by @{candidate}</Table.Th>
            <Table.Th>Host of @{candidate}</Table.Th>
            <Table.Th className="number">rank by @{active}</Table.Th>
            <Table.Th>Because</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {disagreements.map(({ decision, kind, because, baselineChoice, candidateChoice }) => (
            <Table.Tr key={decision.id} data-disagreement={kind}>
              <Table.Td className="profile-narrow">
                <DecisionLink decision={decision} />
              </Table.Td>
              <Table.Td className="profile-narrow">
                <AnchorLink
                  size="sm"
                  to="/decisions/$id"
                  params={{ id: decision.id }}
                  search={{ by: otherVersion(versions, decision.profile?.number) }}
                >
                  {kindWord(kind)}
                </AnchorLink>
              </Table.Td>
              <Choice choice={baselineChoice} />
              <Choice choice={candidateChoice} />
              <Table.Td className="profile-because">{because}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  )
}

/** A host and its rank; where there is none, why. */
function Choice({ choice: { hostName, rank, because } }: { readonly choice: Disagreement['baselineChoice'] }) {
  return (
    <>
      <Table.Td className="profile-choice">
        {hostName ?? <span className="dimmed">no host</span>}
        {hostName === null || because === null ? null : <div className="dimmed">{because}</div>}
      </Table.Td>
      <Table.Td className="number">{rank === null ? <span className="dimmed">none</span> : formatCount(rank)}</Table.Td>
    </>
  )
}
