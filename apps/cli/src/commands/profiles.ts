import type { Command } from 'commander'
import { type ConnectionFlags, connect } from './connection.ts'
import { EXIT, REFUSAL, type Refusal, toRefusal } from './failure.ts'
import { notEmpty } from './hosts.ts'
import { type Result, run, withExamples, withService } from './output.ts'
import { addProfileCheck } from './profile-check.ts'
import { addProfileImport } from './profile-import.ts'
import { addProfileRollout } from './profile-rollout.ts'
import { toTable, wrap } from './table.ts'

interface Flags extends ConnectionFlags {
  readonly json?: true
}

interface Version {
  readonly profileName: string
  readonly number: number
  readonly note: string | null
  readonly compat: string | null
}

interface Profile {
  readonly name: string
  readonly active: Version
  readonly versions: { readonly totalCount: number }
}

const VERSION = 'profileName number note compat'
const PROFILES = `query Profiles { profiles { name active { ${VERSION} } versions(first: 1) { totalCount } } }`
const ACTIVATE = `mutation Activate($version: ID!, $dryRun: Boolean!) {
  result: profileActivate(version: $version, dryRun: $dryRun) {
    __typename ... on ProfilePayload { dryRun version { ${VERSION} } profile { active { ${VERSION} } } } ${REFUSAL}
  }
}`

/** `gantt profile`: the ways to decide that a service knows. */
export function addProfiles(program: Command): void {
  const profile = program
    .command('profile')
    .description('list ways to decide, try a version and choose the one that counts, take one over from Nova')

  const list = profile
    .command('list')
    .description('list profiles, and the version of each that decides')
    .action((flags: Flags) => run(flags, () => listProfiles(flags)))
  withExamples(withService(list), [['gantt profile list', 'what select --profile may name']])

  const activate = profile
    .command('activate')
    .description('make a version the one that decides under its name')
    .argument('<version>', 'name@number', notEmpty)
    .option('--dry-run', 'only tell what it would do')
    .action((version: string, flags: Flags & { dryRun?: true }) => run(flags, () => activateVersion(version, flags)))
  withExamples(withService(activate), [['gantt profile activate nova-conf@2', 'decide by it from now on']])

  addProfileRollout(profile)
  addProfileCheck(profile)
  addProfileImport(profile)
}

async function listProfiles(flags: Flags): Promise<Result> {
  const { profiles } = await connect(flags).request<{ profiles: readonly Profile[] }>(PROFILES)
  const rows = profiles.map(({ name, active, versions }) => [
    name,
    `${active.number}`,
    `${versions.totalCount}`,
    active.compat === null ? '-' : active.compat.toLowerCase(),
    active.note ?? '',
  ])
  const lines = toTable(
    [
      { head: 'profile', cut: 'end', least: 12 },
      { head: 'active', align: 'right' },
      { head: 'versions', align: 'right' },
      { head: 'as' },
      { head: 'note', wraps: true, least: 20 },
    ],
    rows,
  )
  return { lines, json: { profiles } }
}

async function activateVersion(version: string, { dryRun, ...flags }: Flags & { dryRun?: true }): Promise<Result> {
  interface Done extends Refusal {
    readonly version?: Version
    readonly dryRun?: boolean
  }
  const { result } = await connect(flags).request<{ result: Done }>(ACTIVATE, { version, dryRun: dryRun === true })
  if (result.version === undefined) throw toRefusal(result)
  const { profileName, number } = result.version
  const text = dryRun
    ? `Nothing was changed. It would make ${profileName}@${number} the version that decides as ${profileName}.`
    : `${profileName}@${number} decides as ${profileName} from now on.`
  return { lines: wrap(text), json: { version: result.version, dryRun: dryRun === true }, exitCode: EXIT.done }
}
