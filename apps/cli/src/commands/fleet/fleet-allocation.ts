import { graphql, type ResultOf } from '@gantt/client'
import { releaseName } from '@gantt/scheduler-core/nova'
import { type Command, InvalidArgumentError } from 'commander'
import { type ConnectionFlags, connect, type ServiceClient } from '../../call/connection.ts'
import { CommandFailure, EXIT, REFUSAL, toRefusal } from '../../call/failure.ts'
import { counted } from '../../output/format.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { toTable, wrap } from '../../output/table.ts'
import { notEmpty } from '../host/hosts.ts'

/** The ratio and reserved amount of one resource class. */
export interface ClassAllocation {
  readonly resourceClass: string
  readonly ratio: number | null
  readonly reserved: number | null
  /** How much of `reserved` is part of the used amounts that hosts report; null: all of it. */
  readonly reservedInUse: number | null
}

interface Flags extends ConnectionFlags {
  readonly release?: string
  readonly ratio: readonly (readonly [string, number])[]
  readonly reserved: readonly (readonly [string, number])[]
  readonly reservedInUse: readonly (readonly [string, number])[]
  readonly reason?: string
  readonly dryRun?: true
  readonly json?: true
}

const FIELDS = graphql(
  `fragment AllocationParts on FleetAllocation { version release classes { resourceClass ratio reserved reservedInUse } by at reason }`,
)
const READ = graphql(`query FleetAllocation { fleetAllocation { ...AllocationParts } }`, [FIELDS])
const SET = graphql(
  `mutation SetFleetAllocation($ifVersion: Int!, $input: FleetAllocationInput!, $dryRun: Boolean!) {
  fleetAllocationSet(ifVersion: $ifVersion, input: $input, dryRun: $dryRun) {
    __typename ... on FleetAllocationPayload { dryRun fleetAllocation { ...AllocationParts } impact { hostsAffected warnings } } ...Refusal } }`,
  [FIELDS, REFUSAL],
)

type FleetAllocation = ResultOf<typeof FIELDS>
export type AllocationWritten = Extract<ResultOf<typeof SET>['fleetAllocationSet'], { readonly __typename: 'FleetAllocationPayload' }>

/**
 * `gantt fleet-allocation`: ratios and reserved amounts for hosts whose reports, in Nova's form, leave these values to Nova's
 * configuration.
 */
export function addFleetAllocation(program: Command): void {
  const command = program
    .command('fleet-allocation')
    .description(
      "show or set the allocation ratios and reserved amounts of hosts whose reports, in Nova's form, leave them to Nova's configuration",
    )
    .option('--release <release>', 'release of Nova, such as zed, whose defaults apply to resource classes that are not named', notEmpty)
    .option('--ratio <class=n>', 'allocation ratio of a resource class; may be repeated', pair, [])
    .option('--reserved <class=n>', 'amount of a resource class that is reserved on each host; may be repeated', pair, [])
    .option(
      '--reserved-in-use <class=n>',
      'part of the reserved amount that hosts report as used; by default all; may be repeated',
      pair,
      [],
    )
    .option('--reason <text>', 'reason for the change, recorded in the audit; required with other values', notEmpty)
    .option('--dry-run', 'change nothing; show the free amounts after the change')
    .action((flags: Flags) => run(flags, () => fleetAllocation(flags)))
  withExamples(withService(command), [
    ['gantt fleet-allocation', 'show the present settings, who set them, and when'],
    [
      'gantt fleet-allocation --ratio VCPU=8 --reserved MEMORY_MB=2048 --release zed --reason "as in nova.conf" --dry-run',
      'show what would be free with other settings',
    ],
  ])
}

async function fleetAllocation({ release, ratio, reserved, reservedInUse, reason, dryRun, ...flags }: Flags): Promise<Result> {
  if (reason === undefined) {
    if (release !== undefined || dryRun || ratio.length + reserved.length + reservedInUse.length > 0)
      throw new CommandFailure(
        EXIT.usage,
        '--reason is missing: a change and its preview need it; without any of these options, the present settings are shown',
      )
    const { fleetAllocation: now } = await connect(flags).request(READ)
    return { lines: toLines(now), json: now }
  }
  const lastOf = (pairs: Flags['ratio'], resourceClass: string): number | null =>
    pairs.findLast(([name]) => name === resourceClass)?.[1] ?? null
  const classes = [...new Set([...ratio, ...reserved, ...reservedInUse].map(([name]) => name))].map((resourceClass) => ({
    resourceClass,
    ratio: lastOf(ratio, resourceClass),
    reserved: lastOf(reserved, resourceClass),
    reservedInUse: lastOf(reservedInUse, resourceClass),
  }))
  const written = await writeFleetAllocation({ release: release ?? null, classes, reason }, dryRun === true, flags)
  return { lines: toWritten(written), json: written }
}

export interface FleetAllocationInput {
  readonly release: string | null
  readonly classes: readonly ClassAllocation[]
  readonly reason: string
}

/** Writes all settings. The service refuses this if another caller changes the settings after this function has read their version. */
export async function writeFleetAllocation(
  input: FleetAllocationInput,
  dryRun: boolean,
  flags: ConnectionFlags,
): Promise<AllocationWritten> {
  const client = connect(flags)
  const { fleetAllocation: now } = await client.request(READ)
  return setOn(now.version, input, dryRun, client)
}

/** Checks all settings with a dry run. Returns a function that writes them if the version has not changed since the dry run. */
export async function tryFleetAllocation(input: FleetAllocationInput, flags: ConnectionFlags): Promise<() => Promise<AllocationWritten>> {
  const client = connect(flags)
  const { fleetAllocation: now } = await client.request(READ)
  await setOn(now.version, input, true, client)
  return () => setOn(now.version, input, false, client)
}

async function setOn(ifVersion: number, input: FleetAllocationInput, dryRun: boolean, client: ServiceClient): Promise<AllocationWritten> {
  const { fleetAllocationSet: answer } = await client.request(SET, {
    ...{ ifVersion, input, dryRun },
  })
  if (!('impact' in answer)) throw toRefusal(answer)
  return answer
}

export const toWritten = ({ dryRun, fleetAllocation: allocation, impact }: AllocationWritten): readonly string[] => [
  ...(dryRun ? ['Nothing was changed. It would be:'] : []),
  ...toLines(allocation),
  `${dryRun ? 'The change would affect' : 'Changed'} ${counted(impact.hostsAffected, 'host')} that report${impact.hostsAffected === 1 ? 's' : ''} in Nova's form.`,
  ...impact.warnings,
]

function toLines({ version, release, classes, by, at, reason }: FleetAllocation): readonly string[] {
  if (version === 0)
    return wrap('Nothing is set: hosts that report no ratio and no reserved amount are not overcommitted and reserve nothing.')
  return [
    ...toAllocationTable(classes),
    ...wrap(
      release === null
        ? 'No Nova release is set: other resources are not overcommitted.'
        : `For other values the defaults of Nova ${release} apply.`,
    ),
    ...wrap(`Set by ${by ?? '-'} at ${at ?? '-'}: ${reason ?? '-'} (version ${version})`),
  ]
}

/** The settings of a nova.conf that apply to hosts, before anything is written. */
export function toImported(release: number | null, classes: readonly ClassAllocation[]): readonly string[] {
  return [
    'Ratios and reserved amounts of hosts that do not report their own',
    ...toAllocationTable(classes),
    ...(release === null ? [] : wrap(`For other values the defaults of Nova ${releaseName(release)} apply.`)),
  ]
}

const toAllocationTable = (classes: readonly ClassAllocation[]): readonly string[] =>
  classes.length === 0
    ? []
    : toTable(
        [{ head: 'resource' }, { head: 'ratio', align: 'right' }, { head: 'reserved', align: 'right' }],
        classes.map(({ resourceClass, ratio, reserved, reservedInUse }) => [
          resourceClass,
          String(ratio ?? '-'),
          `${reserved ?? '-'}${reservedInUse === null ? '' : ` (${reservedInUse} in use)`}`,
        ]),
      )

function pair(text: string, before: readonly (readonly [string, number])[]): readonly (readonly [string, number])[] {
  const [, name, value] = /^([A-Z][A-Z0-9_]*)=([0-9.]+)$/.exec(text) ?? []
  if (name === undefined || value === undefined || Number.isNaN(Number(value)))
    throw new InvalidArgumentError('It must be CLASS=NUMBER, such as VCPU=8.')
  return [...before, [name, Number(value)]]
}
