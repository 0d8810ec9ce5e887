import { withTerm } from '@gantt/scheduler-core/query'
import { Alert, List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { request } from '../../../lib/service/api.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { refusalText } from '../../../lib/service/refusal.ts'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { ScrollBox } from '../../../ui/table/scroll-box.tsx'
import { readHostName } from '../host-row.ts'
import type { HostDetail } from '../host-usage.tsx'
import { BOUND_KEYS, type FORGET } from './leaving-documents.ts'

export type Impact = Extract<ResultOf<typeof FORGET>['hostForget'], { readonly __typename: 'HostForgetPayload' }>['impact']

/** A host that an operator is about to remove or rename. */
export type LeavingHost = Pick<HostDetail, 'name' | 'node' | 'hasOtherNodes' | 'formerNames' | 'aggregates'>

/** The error for a call that was refused because of live claims, with these claims. */
export class HasClaimsError extends Error {
  readonly claims: Pick<Impact, 'claims' | 'claimCount'>

  constructor(message: string, claims: Pick<Impact, 'claims' | 'claimCount'>) {
    super(message)
    this.claims = claims
  }
}

/** Converts a refusal of the service to an error, and throws it. */
export function refuse(answer: RefusedAnswer): never {
  if (answer.__typename === 'HostHasClaims') throw new HasClaimsError(answer.message, answer)
  throw new Error(refusalText(answer))
}

type RefusedAnswer = Exclude<ResultOf<typeof FORGET>['hostForget'], { readonly __typename: 'HostForgetPayload' }>

/** Shows why the service refused the change, with the claims that are the cause. */
export function LeavingProblem({ error }: { readonly error: unknown }) {
  return (
    <>
      <Problem error={error} />
      {error instanceof HasClaimsError ? <ClaimList {...error.claims} /> : null}
    </>
  )
}

interface LeavingImpactProps {
  readonly host: LeavingHost
  readonly impact: Impact
  /** What happens to the claims, as the predicate of a sentence, such as "follow the host". */
  readonly claims: string
  readonly aggregates: string
  readonly keys: string
  readonly children?: ReactNode
}

/** The effects of removing or renaming a host, shown before the operator confirms the change. */
export function LeavingImpact({ host, impact, claims, aggregates, keys, children }: LeavingImpactProps) {
  const { claimCount, serverGroups } = impact
  return (
    <Alert color={claimCount === 0 ? 'blue' : 'yellow'} role="status" title="Nothing is changed yet" data-claims={claimCount}>
      {children}
      {claimCount === 0 ? (
        <Text size="sm">No claim is on the host.</Text>
      ) : (
        <>
          <Text size="sm">
            {formatCount(claimCount)} live {claimCount === 1 ? 'claim' : 'claims'} {claims}:
          </Text>
          <ClaimList {...impact} />
        </>
      )}
      {impact.aggregates.length === 0 ? null : (
        <Text size="sm">
          {aggregates}{' '}
          {impact.aggregates.map((name, i) => (
            <span key={name}>
              {i === 0 ? '' : ', '}
              <AggregateLink name={name} known={host.aggregates.nodes} />
            </span>
          ))}
          .
        </Text>
      )}
      {serverGroups.length === 0 ? null : (
        <Text size="sm">
          Server groups of these claims:{' '}
          {serverGroups.map((uuid, i) => (
            <span key={uuid}>
              {i === 0 ? '' : ', '}
              <AnchorLink
                underline="always"
                to="/claims"
                search={{ q: withTerm('', 'group', uuid) }}
                size="sm"
                c="inherit"
                className="mono"
              >
                {uuid}
              </AnchorLink>
            </span>
          ))}
          .
        </Text>
      )}
      <BoundKeys host={host} text={keys} />
    </Alert>
  )
}

function AggregateLink({ name, known }: { readonly name: string; readonly known: LeavingHost['aggregates']['nodes'] }) {
  const uuid = known.find((one) => one.name === name)?.uuid
  if (uuid === undefined) return <>{name}</>
  return (
    <AnchorLink underline="always" to="/aggregates/$uuid" params={{ uuid }} size="sm" c="inherit">
      {name}
    </AnchorLink>
  )
}

/** Each claim is a link to the list of claims, filtered to this claim. */
function ClaimList({ claims, claimCount }: Pick<Impact, 'claims' | 'claimCount'>) {
  return (
    <ScrollBox label="Claims of the host" maxHeight="200px">
      <List size="sm" withPadding>
        {claims.map(({ id, instanceUuid, state, account }) => (
          <List.Item key={id}>
            <AnchorLink underline="always" to="/claims" search={{ q: withTerm('', 'id', id) }} size="sm" c="inherit" className="mono">
              {instanceUuid ?? id}
            </AnchorLink>
            : {state.toLowerCase()}, of {account}
          </List.Item>
        ))}
      </List>
      {claimCount > claims.length ? <Text size="sm">and {formatCount(claimCount - claims.length)} more.</Text> : null}
    </ScrollBox>
  )
}

/** API keys that are bound to the host by its present name or a former name. */
function BoundKeys({ host, text }: { readonly host: LeavingHost; readonly text: string }) {
  const names = [host.name, ...host.formerNames.map((name) => readHostName(name).host)]
  const { data, error, refetch } = useQuery({ queryKey: ['BoundKeys', names], queryFn: ({ signal }) => keysBoundTo(names, signal) })
  if (error) return <Problem error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Text size="sm">API keys are being looked up …</Text>
  if (data.length === 0) return <Text size="sm">No API key is bound to the host.</Text>
  return (
    <Text size="sm">
      {text}{' '}
      {data.map(({ id, name }, i) => (
        <span key={id}>
          {i === 0 ? '' : ', '}
          <AnchorLink underline="always" to="/keys" search={{ find: name }} size="sm" c="inherit">
            {name}
          </AnchorLink>
        </span>
      ))}
      .
    </Text>
  )
}

type BoundKey = ResultOf<typeof BOUND_KEYS>['apiKeys']['nodes'][number]

async function keysBoundTo(names: readonly string[], signal: AbortSignal): Promise<readonly BoundKey[]> {
  const bound: BoundKey[] = []
  let after: string | null = null
  do {
    const { apiKeys }: ResultOf<typeof BOUND_KEYS> = await request(BOUND_KEYS, { after }, { signal })
    bound.push(...apiKeys.nodes.filter(({ hosts }) => hosts.some((host) => names.includes(host))))
    after = apiKeys.pageInfo.hasNextPage ? apiKeys.pageInfo.endCursor : null
  } while (after !== null)
  return bound
}
