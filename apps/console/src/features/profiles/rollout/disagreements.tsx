import { formatCount } from '../../../lib/format.ts'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import { SmallTable } from '../../../ui/table/small-table.tsx'
import { DecisionLink, kindWord } from '../disagreement.tsx'
import type { FollowedRollout } from '../documents.ts'
import { otherVersion, type Versions } from './rank-points.ts'

type Disagreement = FollowedRollout['disagreements'][number]

interface DisagreementsProps {
  readonly disagreements: readonly Disagreement[]
  readonly versions: Versions
}

/** The decisions with different results. For each chosen host, the rank that the other version gives it. */
export function Disagreements({ disagreements, versions }: DisagreementsProps) {
  const { active, candidate } = versions
  return (
    <SmallTable
      label="Decisions on which the versions disagree"
      maxHeight="260px"
      rows={disagreements}
      rowKey={({ decision }) => decision.id}
      rowAttributes={({ kind }) => ({ 'data-disagreement': kind })}
      columns={[
        { head: 'Decision', className: 'profile-link', cell: ({ decision }) => <DecisionLink decision={decision} /> },
        {
          head: 'With the candidate',
          className: 'profile-link',
          cell: ({ decision, kind }) => (
            <AnchorLink
              size="sm"
              to="/decisions/$id"
              params={{ id: decision.id }}
              search={{ by: otherVersion(versions, decision.profile?.number) }}
            >
              {kindWord(kind)}
            </AnchorLink>
          ),
        },
        { head: `Host of @${active}`, className: 'profile-choice', cell: ({ baselineChoice }) => <Choice choice={baselineChoice} /> },
        { head: `rank by @${candidate}`, isNumber: true, cell: ({ baselineChoice }) => rankOf(baselineChoice) },
        { head: `Host of @${candidate}`, className: 'profile-choice', cell: ({ candidateChoice }) => <Choice choice={candidateChoice} /> },
        { head: `rank by @${active}`, isNumber: true, cell: ({ candidateChoice }) => rankOf(candidateChoice) },
        { head: 'Reason', className: 'profile-because', cell: ({ because }) => because },
      ]}
    />
  )
}

type Chosen = Disagreement['baselineChoice']

/** The chosen host. If the other version gives it no rank, the reason is shown. */
function Choice({ choice: { hostName, because } }: { readonly choice: Chosen }) {
  return (
    <>
      {hostName ?? <span className="dimmed">no host</span>}
      {hostName === null || because === null ? null : <div className="dimmed">{because}</div>}
    </>
  )
}

const rankOf = ({ rank }: Chosen) => (rank === null ? <span className="dimmed">none</span> : formatCount(rank))
