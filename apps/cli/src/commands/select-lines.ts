import { GANTT } from './called.ts'
import { age, counted, decimal } from './format.ts'
import { nameOf } from './hosts.ts'
import { shortId } from './ids.ts'
import { type Reason, toReasonTable } from './reasons.ts'
import { toTable, wrap } from './table.ts'

interface HostName {
  readonly name: string
  readonly node: string
}

interface Answer {
  /** Paths in the request of what had no effect; a release from before this field answers none. */
  readonly ignoredFields?: readonly string[]
}

export interface Placed extends Answer {
  readonly __typename: 'SelectDestinationsPayload'
  readonly replayed: boolean
  readonly decision: { readonly id: string }
  readonly destinations: readonly {
    readonly instanceUuid: string | null
    readonly selected: {
      /** Not told to a key that is bound to a project, like the zone, moves and the next best. */
      readonly weight?: number
      readonly host: HostName & { readonly availabilityZone?: string }
      readonly claim: {
        readonly id: string
        readonly fence: number
        readonly state: string
        readonly expiresAt: string | null
        readonly moveOf?: { readonly id: string } | null
      } | null
    }
    readonly alternates?: readonly { readonly host: HostName }[]
  }[]
}

export interface Refused extends Answer {
  readonly __typename: 'NoValidHost'
  readonly message: string
  readonly placedCount: number
  readonly decision: { readonly id: string }
  /** Not told to a key that is bound to a project. */
  readonly reasons?: readonly Reason[]
}

export type SelectAnswer = Placed | Refused

/** Instances whose alternates are told to people: the hosts of many would hide what to type next. */
const MOST_ALTERNATES = 5

/** What of the request had no effect. */
export const toLinesOfIgnored = ({ ignoredFields = [] }: Pick<Answer, 'ignoredFields'>): readonly string[] =>
  ignoredFields.length === 0 ? [] : ['', ...wrap(`Without effect, since nothing in the profile reads it: ${ignoredFields.join(', ')}.`)]

/** Where each instance goes, what is held there, and what to type next. */
export function toLinesOfPlaced({ replayed, decision, destinations }: Placed): readonly string[] {
  const nowMs = Date.now()
  const rows = destinations.map(({ selected: { host, weight, claim } }) => [
    nameOf(host),
    ...(weight === undefined ? [] : [host.availabilityZone ?? '', decimal(weight)]),
    claim === null ? '-' : shortId(claim.id),
    claim === null ? '-' : claim.expiresAt === null ? 'no end' : age(claim.expiresAt, nowMs),
  ])
  const claims = destinations.flatMap(({ selected: { claim } }) =>
    claim?.state === 'RESERVED' || claim?.moveOf ? [shortId(claim.id)] : [],
  )
  const isToProject = destinations.some(({ selected }) => selected.weight === undefined)
  const withOthers = destinations.flatMap(({ selected, alternates = [] }) => (alternates.length > 0 ? [{ selected, alternates }] : []))
  const alternates = withOthers
    .slice(0, MOST_ALTERNATES)
    .flatMap(({ selected, alternates: others }) =>
      wrap(`Next best after ${nameOf(selected.host)}: ${others.map(({ host }) => nameOf(host)).join(', ')}`),
    )
  return [
    `${counted(destinations.length, 'instance')} placed${replayed ? ' before: the same answer to the same key' : ''}.`,
    '',
    ...toTable(
      [
        { head: 'host', cut: 'middle', least: 10, key: true },
        ...(isToProject
          ? []
          : ([
              { head: 'zone', cut: 'middle', least: 6 },
              { head: 'weight', align: 'right' },
            ] as const)),
        { head: 'claim' },
        { head: 'held for', align: 'right' },
      ],
      rows,
    ),
    '',
    ...alternates,
    ...(withOthers.length > MOST_ALTERNATES ? [`Next best after ${withOthers.length - MOST_ALTERNATES} others: --json has them`] : []),
    `${isToProject ? 'The decision:' : 'Why there: '} ${GANTT} explain ${shortId(decision.id)}`,
    ...(claims.length === 1 ? toNext(claims[0] ?? '', destinations[0]?.selected.claim?.moveOf != null) : []),
    ...(claims.length > 1 ? [`To keep them: ${GANTT} claims confirm CLAIM...`] : []),
  ]
}

/** What to type about the one claim that was made: to keep it, or the two ways in which a move ends. */
const toNext = (claim: string, isMove: boolean): readonly string[] =>
  isMove
    ? [`To move:    ${GANTT} claims confirm ${claim}`, `To stay:    ${GANTT} claims revert ${claim}`]
    : [`To keep it: ${GANTT} claims confirm ${claim}`]

/** Why no host can take it, and how to find out more. */
export function toLinesOfRefused({ message, reasons, decision }: Refused): readonly string[] {
  if (reasons === undefined) return [...wrap(message), '', `What is in the way: ${GANTT} explain ${shortId(decision.id)}`]
  return [
    ...wrap(message),
    '',
    ...(reasons.length === 0 ? [] : [...toReasonTable(reasons), '']),
    `Everything:   ${GANTT} explain ${shortId(decision.id)}`,
    `For one host: ${GANTT} why-not ${shortId(decision.id)} HOST`,
  ]
}
