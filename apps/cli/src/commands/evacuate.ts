import { randomUUID } from 'node:crypto'
import { type Command, Option } from 'commander'
import { GANTT } from './called.ts'
import { type ConnectionFlags, connectForKeyed } from './connection.ts'
import { EXIT, mayHaveHappened, REFUSAL, type Refusal, toRefusal } from './failure.ts'
import { counted } from './format.ts'
import { toHostName } from './host-name.ts'
import { nameOf, notEmpty } from './hosts.ts'
import { shortId } from './ids.ts'
import { duration } from './options.ts'
import { note, type Result, run, withExamples, withService } from './output.ts'
import { REASON, type Reason, toReasonTable } from './reasons.ts'
import { toTable } from './table.ts'

interface Flags extends ConnectionFlags {
  readonly node?: string
  readonly dryRun?: true
  readonly confirm?: true
  readonly ttl?: string
  readonly profile?: string
  readonly keyName?: string
  readonly json?: true
}

interface HostName {
  readonly name: string
  readonly node: string
}

interface Leaving {
  readonly id: string
  readonly instanceUuid: string | null
}

/** Where a claim goes, or why it stays: the same for what was done and for what would be. */
interface Move {
  readonly claim: Leaving
  readonly to: HostName | null
  /** The claim there, once there is one. */
  readonly there: string | null
  readonly why: string
  readonly reasons: readonly Reason[]
}

interface Preview {
  readonly __typename: 'HostEvacuatePreview'
  readonly instancesWithoutClaims: number
  readonly moves: readonly { claim: Leaving; destination: HostName | null; message: string | null; reasons: readonly Reason[] }[]
}

interface Done {
  readonly __typename: 'HostEvacuatePayload'
  readonly instancesWithoutClaims: number
  readonly moves: readonly {
    readonly claim: Leaving
    readonly result: Refusal & {
      readonly destinations?: readonly { readonly selected: { readonly host: HostName; readonly claim: { readonly id: string } | null } }[]
      readonly reasons?: readonly Reason[]
    }
  }[]
}

const LEAVING = 'claim { id instanceUuid }'

const EVACUATE = `mutation Evacuate($input: HostEvacuateInput!, $dryRun: Boolean!) {
  hostEvacuate(input: $input, dryRun: $dryRun) {
    __typename
    ... on HostEvacuatePreview { placedCount instancesWithoutClaims moves { ${LEAVING} destination { name node hasOtherNodes } message reasons { ${REASON} } } }
    ... on HostEvacuatePayload {
      placedCount
      instancesWithoutClaims
      moves {
        ${LEAVING}
        result {
          __typename
          ... on SelectDestinationsPayload { replayed decision { id } destinations { selected { host { name node hasOtherNodes } claim { id fence state } } } }
          ... on NoValidHost { decision { id } reasons { ${REASON} } }
          ${REFUSAL}
        }
      }
    }
    ${REFUSAL}
  }
}`

/** `gantt host evacuate`: another place for everything on a host. */
export function addEvacuate(host: Command): void {
  const evacuate = host
    .command('evacuate')
    .description(
      'find another place for every instance of a host, and hold the room there; ends with 1 where one has to stay, or has no claim to move',
    )
    .argument('<host>', 'its name, HOST or HOST/NODE')
    .option('--node <name>', 'only this node, of a host with many', notEmpty)
    .option('--dry-run', 'hold nothing; tell where each would go')
    .addOption(new Option('--confirm', 'hold the room there without an end').conflicts('dryRun'))
    .option('--ttl <duration>', 'how long the room is held, PT1S to PT24H; PT2M if not given', duration)
    .option('--profile <name>', 'decide by this profile, name or name@number', notEmpty)
    .option('--key-name <name>', 'idempotency key: the same call with it gets the same answer; random if not given', notEmpty)
    .action((name: string, flags: Flags) => run(flags, () => evacuateHost(name, flags)))
  withExamples(withService(evacuate), [
    ['gantt host evacuate rack1-a --dry-run', 'would everything find a place?'],
    ['gantt host evacuate rack1-a --ttl PT30M', 'hold the room for half an hour, and print what to type afterwards'],
  ])
}

async function evacuateHost(name: string, { node, dryRun, confirm, ttl, profile, keyName, ...flags }: Flags): Promise<Result> {
  const client = connectForKeyed(flags)
  const idempotencyKey = keyName ?? `cli-${randomUUID()}`
  const input = {
    host: toHostName(name, node),
    idempotencyKey,
    claim: { mode: confirm ? 'CONFIRM' : 'RESERVE', ttl },
    profile,
    deadline: 'PT60S',
  }
  const { hostEvacuate: answer } = await client
    .request<{ hostEvacuate: Preview | Done | Refusal }>(EVACUATE, { input, dryRun: dryRun === true })
    .catch((error: unknown) => {
      if (!dryRun && mayHaveHappened(error))
        note(`Room may be held all the same; the same command with --key-name ${idempotencyKey} asks again without further claims.`)
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
  const selected = result.destinations?.[0]?.selected
  if (selected !== undefined) return { claim, to: selected.host, there: selected.claim?.id ?? null, why: '', reasons: [] }
  return { claim, to: null, there: null, why: toRefusal(result).message, reasons: result.reasons ?? [] }
}

/** What an evacuation leaves behind, first and in capitals: whoever powers the host off would end these instances. */
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
  const going = moves.filter(({ to }) => to !== null)
  const staying = moves.filter(({ to }) => to === null)
  const ids = going.flatMap(({ there }) => (there === null ? [] : [shortId(there)]))
  const verb = isDryRun ? 'would go' : 'can go'
  return [
    ...(going.length === 0
      ? []
      : toTable(
          [{ head: 'claim' }, { head: isDryRun ? 'would go to' : 'goes to', cut: 'middle', least: 10, key: true }],
          going.map(({ claim, to }) => [shortId(claim.id), to === null ? '-' : nameOf(to)]),
        )),
    ...(going.length > 0 && staying.length > 0 ? [''] : []),
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
    `${going.length} of ${counted(moves.length, 'claim')} ${verb} elsewhere.${isDryRun ? ' Nothing was changed.' : ''}`,
    ...(ids.length === 0
      ? []
      : ['Once the instances are there:', ...toCommand(`${GANTT} claims confirm`, ids), `To stay: the same with "revert".`]),
  ]
}

/** One command of many words, broken so that it can be copied. */
const toCommand = (command: string, words: readonly string[]): readonly string[] => [
  `  ${command} \\`,
  ...words.map((word, at) => `    ${word}${at === words.length - 1 ? '' : ' \\'}`),
]
