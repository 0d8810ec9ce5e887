import fs from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { graphql, type VariablesOf } from '@gantt/client'
import { usualPlacement } from '@gantt/scheduler-core'
import { findRelease, type ImportedConf, importNovaConf, releaseName, releaseNames } from '@gantt/scheduler-core/nova'
import { type Command, InvalidArgumentError } from 'commander'
import { type ConnectionFlags, connect, type Sent } from '../../call/connection.ts'
import { CommandFailure, EXIT, mayHaveHappened, REFUSAL, toRefusal } from '../../call/failure.ts'
import { GANTT } from '../../output/called.ts'
import { counted } from '../../output/format.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { toTable, wrap } from '../../output/table.ts'
import { type AllocationWritten, toImported, toWritten, tryFleetAllocation } from '../fleet/fleet-allocation.ts'
import { notEmpty } from '../host/hosts.ts'

interface Flags extends ConnectionFlags {
  readonly name: string
  readonly note?: string
  readonly release?: number
  readonly partial?: true
  readonly dryRun?: true
  readonly json?: true
}

interface Created {
  readonly name: string
  readonly number: number
  readonly active: boolean
}

const CREATE = graphql(
  `mutation Import($profile: String!, $input: ProfileVersionInput!) {
  result: profileVersionCreate(profile: $profile, input: $input) {
    __typename ... on ProfilePayload { version { profileName number } profile { active { number } } } ...Refusal
  }
}`,
  [REFUSAL],
)

/** The maximum size of the file, which is far larger than any nova.conf with all of its comments. */
const MAX_BYTES = 16 * 1_024 * 1_024

/** `gantt profile import`: creates a profile from the scheduling settings of a nova.conf. */
export function addProfileImport(profile: Command): void {
  const command = profile
    .command('import')
    .description('create a profile from nova.conf with the rules of Nova, and list what cannot be mapped')
    .argument('<file>', 'path of nova.conf; - for standard input')
    .option('--name <name>', 'name of the profile; an existing profile gets a new version', notEmpty, 'nova-conf')
    .option('--note <text>', 'purpose of the profile', notEmpty)
    .option(
      '--release <release>',
      'release of Nova that the file is for, such as zed or 2023.1; guessed from the file if not given',
      release,
    )
    .option('--partial', 'create the profile without the filters and weighers that cannot be mapped')
    .option('--dry-run', 'only show the profile; needs no service')
    .action((file: string, flags: Flags) => run(flags, () => importFile(file, flags)))
  withExamples(withService(command), [
    ['gantt profile import /etc/nova/nova.conf --dry-run', 'show the profile without writing it'],
    ['gantt profile import nova.conf --name nova-prod --release zed', 'write the profile'],
    ['gantt select --vcpus 2 --memory-mb 4096 --profile nova-prod', 'decide a request with the new profile'],
  ])
}

async function importFile(file: string, { name, note, release, partial, dryRun, ...flags }: Flags): Promise<Result> {
  const outcome = importNovaConf(await read(file), release)
  if (!outcome.ok)
    throw new CommandFailure(
      EXIT.usage,
      [`${file} is not a valid oslo.config file:`, ...outcome.faults.map(({ line, message }) => `  line ${line}: ${message}`)].join('\n'),
    )
  const { conf } = outcome
  const input = {
    ...conf.profile,
    compat: 'NOVA' as const,
    note: note ?? `Imported from ${file === '-' ? 'standard input' : path.basename(file)}, read as Nova ${releaseName(conf.release)}.`,
  }
  const isRefused = !conf.isWhole && partial !== true
  const { release: named, classes: amounts } = conf.allocation
  const classes = Object.entries(amounts).map(([resourceClass, { ratio = null, reserved = null, reservedInUse = null }]) => ({
    ...{ resourceClass, ratio, reserved, reservedInUse },
  }))
  // A file without allocation settings leaves the present settings unchanged.
  const isSaid = named !== null || classes.length > 0
  const allocation = { release: named === null ? null : releaseName(named), classes, reason: input.note }
  const isWritten = !isRefused && dryRun !== true
  // The allocation is first tried as a dry run. If the service refuses it, the profile is not written.
  const setAllocation = isWritten && isSaid ? await tryFleetAllocation(allocation, flags) : undefined
  const created = isWritten ? await create(name, input, flags) : null
  const written = setAllocation === undefined || created === null ? null : await afterProfile(created, setAllocation)
  return {
    lines: [
      ...toReport(conf),
      ...(isSaid && written === null ? ['', ...toImported(named, classes)] : []),
      ...(dryRun ? ['', `The profile ${name}`, ...JSON.stringify(input, null, 2).split('\n')] : []),
      '',
      ...wrap(toEnd(name, created, isRefused, dryRun === true)),
      ...(written === null ? [] : ['', 'The fleet', ...toWritten(written)]),
    ],
    json: {
      release: releaseName(conf.release),
      guessed: conf.isGuessed,
      name,
      input,
      findings: conf.findings,
      elsewhere: conf.elsewhere.map(({ section, name: option, line }) => ({ section, option, line })),
      dryRun: dryRun === true,
      created,
      allocation: isSaid ? allocation : null,
      allocationWritten: written,
    },
    exitCode: isRefused ? EXIT.refused : EXIT.done,
  }
}

/** Writes the ratios and reserved amounts after the profile. If that fails, the message states that the profile is written. */
async function afterProfile({ name, number }: Created, setAllocation: () => Promise<AllocationWritten>): Promise<AllocationWritten> {
  try {
    return await setAllocation()
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    const doubt = mayHaveHappened(error)
      ? 'it is not known whether its ratios and reserved amounts are'
      : 'its ratios and reserved amounts are not'
    const message = `${error.message}\nThe profile is written as ${name}@${number}; ${doubt}. "${GANTT} fleet-allocation" shows them, and sets them.`
    throw new CommandFailure(error.exitCode, message, { cause: error.cause })
  }
}

async function create(name: string, input: Sent<VariablesOf<typeof CREATE>['input']>, flags: ConnectionFlags): Promise<Created> {
  const { result } = await connect(flags).request(CREATE, { profile: name, input })
  if (result.__typename !== 'ProfilePayload') throw toRefusal(result)
  const { version, profile } = result
  return { name: version.profileName, number: version.number, active: profile.active.number === version.number }
}

/** The result of the import: the contents of the profile, then the settings of the file that the profile does not contain. */
function toReport({ release, isGuessed, profile, findings, elsewhere }: ImportedConf): readonly string[] {
  const guessed = isGuessed ? ', guessed from the file; --release sets another one' : ''
  return [
    ...wrap(`Read as Nova ${releaseName(release)}${guessed}.`),
    ...wrap(placementText(profile.nova)),
    '',
    ...toTable(
      [{ head: 'filter' }, { head: 'options', wraps: true, least: 30 }],
      profile.filters.map(({ name, options = {} }) => [name, optionText(options)]),
    ),
    '',
    ...toTable(
      [{ head: 'weigher' }, { head: 'multiplier', align: 'right' }, { head: 'options', wraps: true, least: 24 }],
      profile.weighers.map(({ name, multiplier, options = {} }) => [name, String(multiplier), optionText(options)]),
    ),
    ...(findings.length === 0 ? [] : ['', 'Differences from the file', ...toFindings(findings)]),
    ...(elsewhere.length === 0
      ? []
      : ['', ...wrap(`Ignored: ${counted(elsewhere.length, 'option')} without effect on the choice of hosts.`)]),
  ]
}

/** A sentence about the conditions of the profile that are checked before any filter, as Nova's Placement does. */
function placementText(nova: ImportedConf['profile']['nova']): string {
  const { availabilityZone, limitTenants, tenantsNeedAggregate, isolateAggregates, imageType } = {
    ...usualPlacement,
    ...nova?.placement,
  }
  const kept = [
    'traits',
    'requested destinations',
    ...(availabilityZone ? ['availability zones'] : []),
    ...(limitTenants ? [tenantsNeedAggregate ? 'aggregates of tenants (each tenant needs one)' : 'aggregates of tenants'] : []),
    ...(isolateAggregates ? ['aggregates reserved for traits'] : []),
    ...(imageType ? ['disk formats of images'] : []),
  ]
  return `Checked before the filters: ${kept.join(', ')}.`
}

const optionText = (options: Readonly<Record<string, unknown>>): string =>
  Object.entries(options)
    .map(([name, value]) => `${name} = ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join('; ') || '-'

/** The order in which differences from the file are listed, by kind: lost settings are first. */
const ORDER = ['lost', 'refused', 'idle', 'note'] as const

const KINDS: Readonly<Record<(typeof ORDER)[number], string>> = { lost: 'not mapped', refused: 'refused', idle: 'no effect', note: 'note' }

const toFindings = (findings: ImportedConf['findings']): readonly string[] =>
  toTable(
    [{ head: 'line', align: 'right' }, { head: 'kind' }, { head: 'what', wraps: true, least: 40 }],
    [...findings]
      .sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
      .map(({ kind, line, subject, message }) => [line === null ? '-' : String(line), KINDS[kind], `${subject} ${message}`]),
  )

function toEnd(name: string, created: Created | null, isRefused: boolean, isDry: boolean): string {
  if (isRefused)
    return 'Nothing was written, because some settings of the file cannot be mapped. With --partial the profile is created without them.'
  if (created === null) return isDry ? 'Nothing was written.' : `Nothing was written as ${name}.`
  const ref = `${created.name}@${created.number}`
  return created.active
    ? `Written as ${ref}, which decides for calls with the profile ${created.name}.`
    : `Written as ${ref}. It decides once it is activated: ${GANTT} profile activate ${ref}`
}

async function read(file: string): Promise<string> {
  try {
    if (file === '-') return await text(process.stdin)
    if (fs.statSync(file).size > MAX_BYTES)
      throw new CommandFailure(EXIT.usage, `${file} has more than ${MAX_BYTES} bytes; it must be a nova.conf`)
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    throw new CommandFailure(EXIT.usage, `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function release(given: string): number {
  const found = findRelease(given)
  if (found !== undefined) return found
  throw new InvalidArgumentError(`It must be one of ${[...releaseNames.values()].join(', ')}, or a number such as 26.`)
}
