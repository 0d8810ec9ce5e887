import { graphql, type ResultOf } from '@gantt/client'
import { wrap } from '../../output/table.ts'
import { nameOf, type PrintedHost } from '../host/hosts.ts'

const TRY =
  graphql(`fragment EarlierTry on Decision { id at outcome lostTries { attempt at hostNames hosts { name node hasOtherNodes } code text } cause { code }
  destinations { selected { host { name node hasOtherNodes } claim { state reason } } } }`)

/** The GraphQL fields of a Decision that `toTryLines` reads. */
export const TRIED = graphql(
  `fragment Tried on Decision { lostTries { attempt at hostNames hosts { name node hasOtherNodes } code text } previous { ...EarlierTry previous { ...EarlierTry previous { id } } } }`,
  [TRY],
)

/**
 * The earlier attempts of a decision: attempts that lost a conflict with another change, and earlier decisions that this decision retried.
 */
export type Tried = ResultOf<typeof TRIED>

/** An attempt of a decision that had no effect, because another change came first in the log. */
type LostTry = Tried['lostTries'][number]

/** An earlier decision that a later decision retried. */
type TriedBefore = ResultOf<typeof TRY>

/**
 * Lines about the attempts before a decision, oldest first: the hosts that each attempt had selected, and why the attempt had no effect.
 * Empty if there was no earlier attempt.
 */
export function toTryLines({ lostTries = [], previous = null }: Tried): readonly string[] {
  const before = [previous?.previous ?? null, previous].filter((one) => one !== null)
  const tries = [...before.flatMap((one) => [...one.lostTries.map(lostText), beforeText(one)]), ...lostTries.map(lostText)]
  if (tries.length === 0) return []
  const earlier =
    previous?.previous?.previous == null
      ? []
      : [`The first decision above is itself a retry of the request of decision ${previous.previous.previous.id}.`]
  return ['', 'Tried before', ...tries.flatMap((text, i) => wrap(`${i + 1}. ${text}`)), ...earlier.flatMap((text) => wrap(text))]
}

const lostText = ({ at, hostNames, hosts, text }: LostTry): string =>
  `${hostNames.map((name) => presentName(name, hosts)).join(', ')}: ${text} (${at})`

/** Converts the name of a host in an attempt to the present name of the host. Returns the name unchanged if the host was removed. */
function presentName(name: string, hosts: readonly PrintedHost[]): string {
  const host = hosts.find((one) => (one.node === one.name ? one.name : `${one.name}/${one.node}`) === name)
  return host === undefined ? name : nameOf(host)
}

function beforeText({ id, at, outcome, destinations, cause }: TriedBefore): string {
  const ends = destinations.map(
    ({ selected: { host, claim } }) =>
      `${nameOf(host)}, ${claim === null ? 'no claim of it is known' : `claim ${claim.state}${claim.reason ? `: ${claim.reason}` : ''}`}`,
  )
  const end = ends.length > 0 ? ends.join('; ') : cause?.code == null ? '' : `for ${cause.code}`
  return `${outcome}${end === '' ? '' : ` ${end}`} (${id}, ${at})`
}
