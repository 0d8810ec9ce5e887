import { randomUUID } from 'node:crypto'
import { graphql, type ResultOf } from '@gantt/client'
import { type Command, Option } from 'commander'
import { type ConnectionFlags, connectForKeyed } from '../../call/connection.ts'
import { EXIT, mayHaveHappened, REFUSAL, toRefusal } from '../../call/failure.ts'
import { toHostName } from '../../options/host-name.ts'
import { duration } from '../../options/values.ts'
import { GANTT } from '../../output/called.ts'
import { counted } from '../../output/format.ts'
import { shortId } from '../../output/ids.ts'
import { note, type Result, run, withExamples, withService } from '../../output/output.ts'
import { toTable } from '../../output/table.ts'
import { REASON, type Reason, toReasonTable } from '../decision/reasons.ts'
import { nameOf, notEmpty, type PrintedHost } from './hosts.ts'

interface Flags extends ConnectionFlags {
  readonly node?: string
  readonly dryRun?: true
  readonly confirm?: true
  readonly ttl?: string
  readonly profile?: string
  readonly keyName?: string
  readonly json?: true
}

const _LEAVING = 'claim { id instanceUuid }'

const EVACUATE = graphql(
  `mutation Evacuate($input: HostEvacuateInput!, $dryRun: Boolean!) {
  hostEvacuate(input: $input, dryRun: $dryRun) {
    __typename
    ... on HostEvacuatePreview { placedCount instancesWithoutClaims moves { claim { id instanceUuid } destination { name node hasOtherNodes } message reasons { ...Reason } } }
    ... on HostEvacuatePayload {
      placedCount
      instancesWithoutClaims
      moves {
        claim { id instanceUuid }
        result {
          __typename
          ... on SelectDestinationsPayload { replayed decision { id } destinations { selected { host { name node hasOtherNodes } claim { id fence state } } } }
          ... on NoValidHost { decision { id } reasons { ...Reason } }
          ...Refusal
        }
      }
    }
    ...Refusal
  }
}`,
  [REASON, REFUSAL],
)

type Answer = ResultOf<typeof EVACUATE>['hostEvacuate']
type Preview = Extract<Answer, { readonly __typename: 'HostEvacuatePreview' }>
type Done = Extract<Answer, { readonly __typename: 'HostEvacuatePayload' }>

/** Where a claim moves, or why it stays. Used for a dry run and for an evacuation. */
interface Move {
  readonly claim: Preview['moves'][number]['claim']
  readonly to: PrintedHost | null
  /** The claim at the destination; null in a dry run. */
  readonly there: string | null
  readonly why: string
  readonly reasons: readonly Reason[]
}

/** `gantt host evacuate`: finds other hosts for the instances of a host, and claims resources there. It does not move the instances. */
export function addEvacuate(host: Command): void {
  const evacuate = host
    .command('evacuate')
    .description(
      'find another host for every instance of a host and reserve the resources there; exits with 1 if an instance has to stay or has no claim',
    )
    .argument('<host>', 'name of the host, HOST or HOST/NODE')
    .option('--node <name>', 'only this node, if the host has several nodes', notEmpty)
    .option('--dry-run', 'reserve nothing; show the destination of each instance')
    .addOption(new Option('--confirm', 'make the new claims permanent').conflicts(['dryRun', 'ttl']))
    .option('--ttl <duration>', 'how long the reservations last; the default of the service if not given', duration)
    .option('--profile <name>', 'profile that decides, name or name@number', notEmpty)
    .option('--key-name <name>', 'idempotency key: a repeated call with the same key gets the same answer; random if not given', notEmpty)
    .action((name: string, flags: Flags) => run(flags, () => evacuateHost(name, flags)))
  withExamples(withService(evacuate), [
    ['gantt host evacuate rack1-a --dry-run', 'check whether every instance finds another host'],
    ['gantt host evacuate rack1-a --ttl PT30M', 'reserve the resources for half an hour, and print the next commands'],
  ])
}

async function evacuateHost(name: string, { node, dryRun, confirm, ttl, profile, keyName, ...flags }: Flags): Promise<Result> {
  const client = connectForKeyed(flags)
  const idempotencyKey = keyName ?? `cli-${randomUUID()}`
  const input = {
    host: toHostName(name, node),
    idempotencyKey,
    claim: { mode: confirm ? ('CONFIRM' as const) : ('RESERVE' as const), ttl },
    profile,
    deadline: 'PT60S',
  }
  const { hostEvacuate: answer } = await client.request(EVACUATE, { input, dryRun: dryRun === true }).catch((error: unknown) => {
    if (!dryRun && mayHaveHappened(error))
      note(
        `Resources may be held nevertheless; the same command with --key-name ${idempotencyKey} repeats the call without further claims.`,
      )
    throw error
  })
  if (!('moves' in answer)) throw toRefusal(answer)
  const moves = answer.__typename === 'HostEvacuatePreview' ? answer.moves.map(toForeseen) : answer.moves.map(toMove)
  const { instancesWithoutClaims: without } = answer
  const exitCode = without === 0 && moves.every(({ to }) => to !== null) ? EXIT.done : EXIT.refused
  const json = { ...(dryRun ? {} : { idempotencyKey }), ...answer }
  return { lines: [...toWarning(name, without), ...toLines(name, moves, dryRun === true)], json, exitCode }
}

const toForeseen = ({ claim, destination, message, reasons }: Preview['moves'][number]): Move => ({
  claim,
  to: destination,
  there: null,
  why: message ?? '',
  reasons,
})

function toMove({ claim, result }: Done['moves'][number]): Move {
  const selected = 'destinations' in result ? result.destinations[0]?.selected : undefined
  if (selected !== undefined) return { claim, to: selected.host, there: selected.claim?.id ?? null, why: '', reasons: [] }
  return { claim, to: null, there: null, why: toRefusal(result).message, reasons: 'reasons' in result ? result.reasons : [] }
}

/**
 * A warning about instances that would stay. The warning is the first line, in capitals, because these instances would end if the host were
 * powered off.
 */
function toWarning(name: string, without: number): readonly string[] {
  if (without === 0) return []
  const [instances, them] = without === 1 ? ['1 instance', 'It'] : [`${without} instances`, 'They']
  return [
    `WARNING: ${instances} on ${name} WILL NOT MOVE: no claim covers ${without === 1 ? 'it' : 'them'}.`,
    `${them} must be moved by other means before the host is stopped.`,
    '',
  ]
}

function toLines(name: string, moves: readonly Move[], isDryRun: boolean): readonly string[] {
  if (moves.length === 0) return [`No claim is on ${name}.`]
  const moving = moves.filter(({ to }) => to !== null)
  const staying = moves.filter(({ to }) => to === null)
  const ids = moving.flatMap(({ there }) => (there === null ? [] : [shortId(there)]))
  const verb = isDryRun ? 'would go' : 'can go'
  return [
    ...(moving.length === 0
      ? []
      : toTable(
          [{ head: 'claim' }, { head: isDryRun ? 'would go to' : 'goes to', cut: 'middle', least: 10, key: true }],
          moving.map(({ claim, to }) => [shortId(claim.id), to === null ? '-' : nameOf(to)]),
        )),
    ...(moving.length > 0 && staying.length > 0 ? [''] : []),
    ...(staying.length === 0
      ? []
      : toTable(
          [{ head: 'claim' }, { head: isDryRun ? 'would stay' : 'stays', wraps: true, least: 30 }],
          staying.map(({ claim, why }) => [shortId(claim.id), why]),
        )),
    ...staying
      .slice(0, 1)
      .flatMap(({ reasons }) => (reasons.length === 0 ? [] : ['', 'Why no host takes the first of them', ...toReasonTable(reasons)])),
    '',
    `${moving.length} of ${counted(moves.length, 'claim')} ${verb} elsewhere.${isDryRun ? ' Nothing was changed.' : ''}`,
    ...(ids.length === 0
      ? []
      : [
          'Once the instances run on their new hosts:',
          ...toCommand(`${GANTT} claims confirm`, ids),
          'To cancel the moves, use "revert" instead of "confirm".',
        ]),
  ]
}

/** A long command, split into lines that can be copied. */
const toCommand = (command: string, words: readonly string[]): readonly string[] => [
  `  ${command} \\`,
  ...words.map((word, at) => `    ${word}${at === words.length - 1 ? '' : ' \\'}`),
]
