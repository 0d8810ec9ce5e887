import type { ResultOf } from '../../../lib/service/graphql.ts'
import type { DECISION } from '../documents.ts'

type Chained = NonNullable<ResultOf<typeof DECISION>['decision']>
type Before = NonNullable<Chained['previous']>
type LostTry = Chained['lostTries'][number]

/** An attempt to place a request: an earlier decision that was retried, a proposal that the log refused, or the shown decision. */
export interface Try {
  /** The position of the attempt, counted from 1 over all known attempts. */
  readonly number: number
  /** The id of the decision to which the attempt belongs. Null if it belongs to the shown decision. */
  readonly decision: string | null
  readonly at: string
  /** The chosen hosts. Empty if no host was found. */
  readonly hosts: readonly string[]
  readonly text: string
  /** True if no claim of the attempt holds resources. Always false for the shown decision. */
  readonly isLost: boolean
}

/** All attempts that are known from records, oldest first. The last attempt is the shown decision. */
export function triesOf(decision: Chained): Try[] {
  const before = [decision.previous?.previous?.previous, decision.previous?.previous, decision.previous]
  const steps = [
    ...before.flatMap((one) => (one == null ? [] : [...one.lostTries.map((lost) => ofLost(lost, one.id)), ofBefore(one)])),
    ...decision.lostTries.map((lost) => ofLost(lost, null)),
    { decision: null, at: decision.at, hosts: hostsOf(decision), text: endOf(decision.outcome), isLost: false },
  ]
  return steps.map((step, i) => ({ ...step, number: i + 1 }))
}

/** How many attempts of a decision are not in the log, because the store refused their entries. Only their count is known. */
export const unrecordedOf = ({ attempt, lostTries }: Pick<Chained, 'attempt' | 'lostTries'>): number => attempt - 1 - lostTries.length

const ofLost = ({ at, hostNames, text }: LostTry, decision: string | null): Omit<Try, 'number'> => ({
  decision,
  at,
  hosts: hostNames,
  text,
  isLost: true,
})

function ofBefore(one: Pick<Before, 'id' | 'at' | 'outcome' | 'destinations' | 'cause'>): Omit<Try, 'number'> {
  const code = one.cause?.code ?? null
  const refused = code === null ? endOf(one.outcome) : `${endOf(one.outcome)}: ${code}`
  const text = one.destinations.length === 0 ? refused : one.destinations.map(({ selected: { claim } }) => claimText(claim)).join(', ')
  const isHeld = one.destinations.some(({ selected: { claim } }) => claim !== null && LIVE.has(claim.state))
  return { decision: one.id, at: one.at, hosts: hostsOf(one), text, isLost: !isHeld }
}

const hostsOf = ({ destinations }: Pick<Before, 'destinations'>): string[] =>
  destinations.map(({ selected: { host } }) => (host.name === host.node ? host.name : `${host.name}/${host.node}`))

const ends: Readonly<Record<string, string>> = { NO_VALID_HOST: 'no host', PLACED: 'placed', PARTIAL: 'placed in part' }
const endOf = (outcome: string): string => ends[outcome] ?? outcome.toLowerCase()

const claimEnds: Readonly<Record<string, string>> = {
  RELEASED: 'its claim was released',
  EXPIRED: 'its claim expired unconfirmed',
  REVOKED: 'its claim was revoked',
  RESERVED: 'still reserved',
  CONFIRMED: 'still claimed',
  MATERIALISED: 'the host reports its instance',
}

/** The states of a claim that holds resources. */
const LIVE: ReadonlySet<string> = new Set(['RESERVED', 'CONFIRMED', 'MATERIALISED'])

/** What happened to the resources that an attempt had claimed. */
function claimText(claim: { readonly state: string; readonly reason: string | null } | null): string {
  if (claim === null) return 'its claim is not known'
  const end = claimEnds[claim.state] ?? claim.state
  return claim.reason === null || claim.reason === '' ? end : `${end}: ${claim.reason}`
}
