import { nameOf, type PrintedHost } from './hosts.ts'
import { wrap } from './table.ts'

/** A try that did not count: others had written first. */
interface LostTry {
  readonly attempt: number
  readonly at: string
  readonly hostNames: readonly string[]
  /** Those that are there still. */
  readonly hosts: readonly PrintedHost[]
  readonly code: string
  readonly text: string
}

/** A decision that a later one tried again. */
interface TriedBefore {
  readonly id: string
  readonly at: string
  readonly outcome: string
  readonly lostTries: readonly LostTry[]
  readonly cause: { readonly code: string | null } | null
  readonly destinations: readonly {
    readonly selected: {
      readonly host: PrintedHost
      readonly claim: { readonly state: string; readonly reason: string | null } | null
    }
  }[]
}

/** The chain of tries that a decision ends. */
export interface Tried {
  readonly lostTries?: readonly LostTry[]
  readonly previous?:
    | (TriedBefore & { readonly previous?: (TriedBefore & { readonly previous: { readonly id: string } | null }) | null })
    | null
}

const TRY = `id at outcome lostTries { attempt at hostNames hosts { name node hasOtherNodes } code text } cause { code }
  destinations { selected { host { name node hasOtherNodes } claim { state reason } } }`

/** What `toTryLines` tells, of a Decision. */
export const TRIED = `lostTries { attempt at hostNames hosts { name node hasOtherNodes } code text } previous { ${TRY} previous { ${TRY} previous { id } } }`

/** The tries before a decision, oldest first: which host each had chosen, and what became of it. Nothing where it was the first. */
export function toTryLines({ lostTries = [], previous = null }: Tried): readonly string[] {
  const before = [previous?.previous ?? null, previous].filter((one) => one !== null)
  const tries = [...before.flatMap((one) => [...one.lostTries.map(lostText), beforeText(one)]), ...lostTries.map(lostText)]
  if (tries.length === 0) return []
  const earlier = previous?.previous?.previous == null ? [] : [`The first of these tries again ${previous.previous.previous.id}.`]
  return ['', 'Tried before', ...tries.flatMap((text, i) => wrap(`${i + 1}. ${text}`)), ...earlier.flatMap((text) => wrap(text))]
}

const lostText = ({ at, hostNames, hosts, text }: LostTry): string =>
  `${hostNames.map((name) => presentName(name, hosts)).join(', ')}: ${text} (${at})`

/** A host of a try as it is addressed now; as it was called then, where it is there no more. */
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
