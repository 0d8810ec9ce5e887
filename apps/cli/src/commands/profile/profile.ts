import { graphql } from '@gantt/client'
import type { Command } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { EXIT, REFUSAL, toRefusal } from '../../call/failure.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { toTable, wrap } from '../../output/table.ts'
import { notEmpty } from '../host/hosts.ts'
import { addProfileCheck } from './check.ts'
import { addProfileImport } from './import.ts'
import { addProfileRollout } from './rollout.ts'

interface Flags extends ConnectionFlags {
  readonly json?: true
}

const VERSION = graphql(`fragment ListedVersion on ProfileVersion { profileName number note compat }`)
const PROFILES = graphql(`query Profiles { profiles { name active { ...ListedVersion } versions(first: 1) { totalCount } } }`, [VERSION])
const ACTIVATE = graphql(
  `mutation Activate($version: ID!, $dryRun: Boolean!) {
  result: profileActivate(version: $version, dryRun: $dryRun) {
    __typename ... on ProfilePayload { dryRun version { ...ListedVersion } profile { active { ...ListedVersion } } } ...Refusal
  }
}`,
  [VERSION, REFUSAL],
)

/** `gantt profile`: the profiles of the service, which define how requests are decided. */
export function addProfiles(program: Command): void {
  const profile = program.command('profile').description('list profiles, try and activate versions, or import a profile from nova.conf')

  const list = profile
    .command('list')
    .description('list profiles with their active versions')
    .action((flags: Flags) => run(flags, () => listProfiles(flags)))
  withExamples(withService(list), [['gantt profile list', 'list the profiles']])

  const activate = profile
    .command('activate')
    .description('activate a version of a profile')
    .argument('<version>', 'version of a profile, as name@number', notEmpty)
    .option('--dry-run', 'change nothing; show what would change')
    .action((version: string, flags: Flags & { dryRun?: true }) => run(flags, () => activateVersion(version, flags)))
  withExamples(withService(activate), [['gantt profile activate nova-conf@2', 'make a version decide all requests from now on']])

  addProfileRollout(profile)
  addProfileCheck(profile)
  addProfileImport(profile)
}

async function listProfiles(flags: Flags): Promise<Result> {
  const { profiles } = await connect(flags).request(PROFILES)
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
      { head: 'compat' },
      { head: 'note', wraps: true, least: 20 },
    ],
    rows,
  )
  return { lines, json: { profiles } }
}

async function activateVersion(version: string, { dryRun, ...flags }: Flags & { dryRun?: true }): Promise<Result> {
  const { result } = await connect(flags).request(ACTIVATE, { version, dryRun: dryRun === true })
  if (result.__typename !== 'ProfilePayload') throw toRefusal(result)
  const { profileName, number } = result.version
  const text = dryRun
    ? `Nothing was changed. It would make ${profileName}@${number} the version that decides as ${profileName}.`
    : `${profileName}@${number} decides as ${profileName} from now on.`
  return { lines: wrap(text), json: { version: result.version, dryRun: dryRun === true }, exitCode: EXIT.done }
}
