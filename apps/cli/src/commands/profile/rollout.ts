import { graphql, type ResultOf } from '@gantt/client'
import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { EXIT, notFound, REFUSAL, toRefusal } from '../../call/failure.ts'
import { reasonOf } from '../../options/reason.ts'
import { GANTT } from '../../output/called.ts'
import { decimal } from '../../output/format.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { toTable, wrap } from '../../output/table.ts'
import { notEmpty } from '../host/hosts.ts'

interface Flags extends ConnectionFlags {
  readonly dryRun?: true
  readonly json?: true
}

const VERSION = graphql(`fragment VersionParts on ProfileVersion { profileName number state note }`)
const ROLLOUT_RESULTS = graphql(
  `fragment Progress on Rollout { mode percent since candidate { ...VersionParts } sampled skipped notSolved agreement newFailures newPlacements }`,
  [VERSION],
)
const CHOICE = graphql(`fragment ChoiceParts on RankedChoice { hostName rank because }`)

const TRY = graphql(
  `mutation Try($version: ID!, $rollout: RolloutInput!, $dryRun: Boolean!) {
  result: profileActivate(version: $version, rollout: $rollout, dryRun: $dryRun) { __typename ... on ProfilePayload { dryRun version { ...VersionParts } profile { name active { ...VersionParts } rollout { ...Progress } } } ...Refusal }
}`,
  [VERSION, ROLLOUT_RESULTS, REFUSAL],
)
const PROFILE_STATE = graphql(`query ProfileState($name: String!) { profile(name: $name) { standing } }`)
const ROLL_BACK = graphql(
  `mutation RollBack($profile: String!, $reason: String!, $dryRun: Boolean!, $ifStanding: String) {
  result: profileRollback(profile: $profile, reason: $reason, dryRun: $dryRun, ifStanding: $ifStanding) { __typename ... on ProfilePayload { dryRun version { ...VersionParts } profile { name active { ...VersionParts } rollout { ...Progress } } } ...Refusal }
}`,
  [VERSION, ROLLOUT_RESULTS, REFUSAL],
)
const SHOW = graphql(
  `query Show($name: String!) {
  profile(name: $name) { name active { ...VersionParts } rollout { ...Progress overTime(most: 12) { at until sampled agreement elsewhere newFailures newPlacements skipped notSolved }
  disagreements(first: 5) { decision { id } at kind because instance baselineChoice { ...ChoiceParts } candidateChoice { ...ChoiceParts } } } versions(first: 500) { nodes { ...VersionParts diff { field before after } } } }
}`,
  [VERSION, ROLLOUT_RESULTS, CHOICE],
)

type Profile = Extract<ResultOf<typeof TRY>['result'], { readonly __typename: 'ProfilePayload' }>['profile']
type Followed = NonNullable<NonNullable<ResultOf<typeof SHOW>['profile']>['rollout']>
/** The host that one version selected for an instance, and the rank that the other version gives that host. */
type Choice = ResultOf<typeof CHOICE>

/** `gantt profile shadow|canary|rollback|show`: the rollout of a version. */
export function addProfileRollout(profile: Command): void {
  const shadow = profile
    .command('shadow')
    .description('try a version as a shadow: it decides requests in addition to the active version, and claims nothing')
    .argument('<version>', 'version of a profile, as name@number', notEmpty)
    .option('--percent <n>', 'percentage of the calls that the version also decides', percent, 100)
    .option('--dry-run', 'change nothing; show what would change')
    .action((version: string, { percent: share, ...flags }: Flags & { percent: number }) =>
      run(flags, () => tryVersion(version, 'SHADOW', share, flags)),
    )
  withExamples(withService(shadow), [
    ['gantt profile shadow default@3', 'compare a version with the active one on every call'],
    ['gantt profile show default', 'show on which share of decisions both versions agreed'],
  ])

  const canary = profile
    .command('canary')
    .description('try a version as a canary: it decides a share of the calls; when the share grows, calls in the share stay in it')
    .argument('<version>', 'version of a profile, as name@number', notEmpty)
    .requiredOption('--percent <n>', 'percentage of the calls that the version decides', percent)
    .option('--dry-run', 'change nothing; show what would change')
    .action((version: string, { percent: share, ...flags }: Flags & { percent: number }) =>
      run(flags, () => tryVersion(version, 'CANARY', share, flags)),
    )
  withExamples(withService(canary), [['gantt profile canary default@3 --percent 5', 'let a version decide one call in twenty']])

  const rollback = profile
    .command('rollback')
    .description('end the rollout of a version; if no version is in a rollout, activate the previous version again')
    .argument('<profile>', 'name of the profile', notEmpty)
    .option('--reason <text>', 'reason for the change, recorded in the audit; not required with --dry-run', notEmpty)
    .option('--dry-run', 'change nothing; show what would change')
    .action((name: string, { reason, ...flags }: Flags & { reason?: string }) =>
      run(flags, () => rollBack(name, reasonOf(reason, flags.dryRun === true), flags)),
    )
  withExamples(withService(rollback), [['gantt profile rollback default --reason "fails GPU requests"', 'return to the previous version']])

  const show = profile
    .command('show')
    .description(
      'show the versions of a profile: which version is active, which is in a rollout and with which results, and what each version changes',
    )
    .argument('<profile>', 'name of the profile', notEmpty)
    .action((name: string, flags: Flags) => run(flags, () => showProfile(name, flags)))
  withExamples(withService(show), [['gantt profile show default', 'show the versions and the rollout']])
}

async function tryVersion(version: string, mode: 'SHADOW' | 'CANARY', share: number, { dryRun, ...flags }: Flags): Promise<Result> {
  const { result } = await connect(flags).request(TRY, {
    version,
    rollout: { mode, percent: share },
    dryRun: dryRun === true,
  })
  if (result.__typename !== 'ProfilePayload') throw toRefusal(result)
  const { profileName, number } = result.version
  const does =
    mode === 'CANARY'
      ? `decides ${share} % of the calls for ${profileName}`
      : `decides ${share} % of the calls too for ${profileName}, and claims nothing`
  const text = dryRun ? `Nothing was changed. ${profileName}@${number} would be the one that ${does}.` : `${profileName}@${number} ${does}.`
  return { lines: wrap(text), json: { version: result.version, profile: result.profile, dryRun: dryRun === true }, exitCode: EXIT.done }
}

async function rollBack(name: string, reason: string, { dryRun, ...flags }: Flags): Promise<Result> {
  const service = connect(flags)
  // The call contains the present state of the rollout. Otherwise a retry, or a call of another operator, could roll back twice.
  const { profile: now } = await service.request(PROFILE_STATE, { name })
  const { result } = await service.request(ROLL_BACK, {
    profile: name,
    reason,
    dryRun: dryRun === true,
    ifStanding: now?.standing ?? null,
  })
  if (result.__typename !== 'ProfilePayload') throw toRefusal(result)
  const { version, profile } = result
  const ref = `${version.profileName}@${version.number}`
  const lines = dryRun
    ? [`Nothing was changed. ${wouldRollBack(name, ref, profile)}`]
    : version.state === 'ACTIVE'
      ? [`${ref} decides as ${name} again.`]
      : [`${ref} is no longer in a rollout; ${name}@${profile.active.number} decides.`]
  return { lines: lines.flatMap((line) => wrap(line)), json: { version, profile, dryRun: dryRun === true }, exitCode: EXIT.done }
}

/**
 * A sentence about a rollback: the version that it ends (the version in a rollout, or the active version if there is no rollout), and the
 * version that would decide afterwards.
 */
const wouldRollBack = (name: string, ref: string, { active, rollout }: Profile): string =>
  rollout === null
    ? `${ref} would decide as ${name} again, and ${name}@${active.number} would be marked as rolled back.`
    : `${ref} would no longer be in a rollout, and ${name}@${active.number} would continue to decide.`

async function showProfile(name: string, flags: Flags): Promise<Result> {
  const { profile } = await connect(flags).request(SHOW, { name })
  if (profile === null) throw notFound(`there is no profile ${name}; "${GANTT} profile list" lists them`)
  const rows = [...profile.versions.nodes]
    .reverse()
    .map(({ number, state, note, diff }) => [
      String(number),
      state,
      diff.map(({ field, before, after }) => `${field}: ${before ?? '-'} -> ${after ?? '-'}`).join('; ') ||
        (state === 'ACTIVE' ? '' : 'nothing'),
      note ?? '',
    ])
  const lines = [
    `${name}@${profile.active.number} decides.`,
    ...toRolloutLines(profile.rollout),
    ...toFollowedLines(profile.rollout),
    '',
    ...toTable(
      [
        { head: 'version', align: 'right' },
        { head: 'state' },
        { head: 'against the active one', wraps: true, least: 24 },
        { head: 'note', wraps: true, least: 16 },
      ],
      rows,
    ),
  ]
  return { lines, json: { profile } }
}

function toRolloutLines(rollout: Followed | null): readonly string[] {
  if (rollout === null) return []
  const { mode, percent: share, candidate, since, sampled, skipped, notSolved, agreement, newFailures, newPlacements } = rollout
  const fares =
    agreement === null
      ? 'No decision was repeated by the other version yet.'
      : `Of ${sampled} decisions ${decimal(agreement * 100)} % have the same outcome, ${newFailures} newly fail, ${newPlacements} are newly placed.`
  return [
    ...wrap(
      `${candidate.profileName}@${candidate.number} is tried as a ${mode.toLowerCase()} with ${share} % of the calls since ${since}.`,
    ),
    ...wrap(
      [
        fares,
        ...(skipped === 0 ? [] : [`${skipped} were not compared for lack of time.`]),
        ...(notSolved === 0 ? [] : [`${notSolved} would have needed a solver and were not compared.`]),
      ].join(' '),
    ),
  ]
}

function toFollowedLines(rollout: Followed | null): readonly string[] {
  const steps = rollout?.overTime ?? []
  const disagreements = rollout?.disagreements ?? []
  const over = toTable(
    [
      { head: 'from' },
      { head: 'compared', align: 'right' },
      { head: 'same outcome', align: 'right' },
      { head: 'elsewhere', align: 'right' },
      { head: 'failing', align: 'right' },
      { head: 'placed', align: 'right' },
    ],
    steps.map(({ at, sampled, agreement, elsewhere, newFailures, newPlacements }) => [
      at,
      String(sampled),
      agreement === null ? '-' : `${decimal(agreement * 100)} %`,
      ...[elsewhere, newFailures, newPlacements].map(String),
    ]),
  )
  const last = disagreements.flatMap(({ decision, kind, baselineChoice, candidateChoice }) =>
    wrap(`${decision.id} ${kind}${kind === 'ELSEWHERE' ? `: ${toChoice(baselineChoice)}, ${toChoice(candidateChoice)}` : ''}`),
  )
  return [
    ...(steps.some(({ sampled }) => sampled > 0) ? ['', 'All replicas, over time:', ...over] : []),
    ...(disagreements.length > 0
      ? [
          '',
          ...wrap(
            'The latest requests with different outcomes: the host that the active version chose, the host that the other version chose, and the rank of each host in the order of the version that did not choose it:',
          ),
          ...last,
        ]
      : []),
  ]
}

const toChoice = ({ hostName, rank }: Choice): string =>
  hostName === null ? 'no host' : `${hostName} (${rank === null ? 'no rank' : `rank ${rank}`})`

function percent(given: string): number {
  const value = /^\d{1,3}(\.\d{1,2})?$/.test(given) ? Number(given) : Number.NaN
  if (value >= 0.01 && value <= 100) return value
  throw new InvalidArgumentError('It must be a percentage from 0.01 to 100, with at most two decimals.')
}
