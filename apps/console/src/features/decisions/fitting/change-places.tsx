import { withTerm } from '@gantt/scheduler-core/query'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import type { FITTING } from './fitting-documents.ts'

type Change = ResultOf<typeof FITTING>['whatWouldFit']['counterfactuals'][number]['changes'][number]
type Place = Change['places'][number]

/** The link to the list of claims has a filter with at most this many ids of claims. */
const MAX_CLAIMS_IN_LINK = 20

/** Links to the pages where the proposed changes can be made. Following a link changes nothing. */
export function ChangePlaces({ changes }: { readonly changes: readonly Change[] }) {
  const claims = changes.flatMap(({ places }) => places.filter(({ kind }) => kind === 'CLAIM').map(({ name }) => name))
  const some = claims.slice(0, MAX_CLAIMS_IN_LINK)
  return (
    <>
      {changes.flatMap(({ places }) =>
        places.map((place) => (place.kind === 'CLAIM' ? null : <ChangePlace key={`${place.kind} ${place.name}`} place={place} />)),
      )}
      {claims.length === 0 ? null : (
        <>
          {' · '}
          <AnchorLink size="sm" to="/claims" search={{ q: some.reduce((q, id) => withTerm(q, 'id', id), '') }} data-place="CLAIM">
            {claims.length === 1
              ? 'Open the claim'
              : `Open ${some.length < claims.length ? `${some.length} of ` : ''}${claims.length} claims`}
          </AnchorLink>
        </>
      )}
    </>
  )
}

function ChangePlace({ place: { kind, name } }: { readonly place: Place }) {
  const shown = { size: 'sm', 'data-place': kind } as const
  return (
    <>
      {' · '}
      {kind === 'HOST' ? (
        <AnchorLink {...shown} to="/hosts/$host" params={{ host: name }}>
          Open {name}
        </AnchorLink>
      ) : kind === 'AGGREGATE' ? (
        <AnchorLink {...shown} to="/aggregates/$uuid" params={{ uuid: name }} search={{ edit: 'yes' }}>
          Edit the aggregate
        </AnchorLink>
      ) : (
        <AnchorLink {...shown} to="/profiles/$name/draft" params={{ name }}>
          Draft of {name}
        </AnchorLink>
      )}
    </>
  )
}
