import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { GANTT } from './called.ts'
import { type ConnectionFlags, connect } from './connection.ts'
import { EXIT, notThere, REFUSAL, type Refusal, toRefusal } from './failure.ts'
import { decimal } from './format.ts'
import { notEmpty } from './hosts.ts'
import { type Result, run, withExamples, withService } from './output.ts'
import { toTable, wrap } from './table.ts'

interface Flags extends ConnectionFlags {
  readonly dryRun?: true
  readonly json?: true
}

interface Version {
  readonly profileName: string
  readonly number: number
  readonly state: string
  readonly note: string | null
}

interface Rollout {
  readonly mode: string
  readonly percent: number
  readonly candidate: Version
  readonly since: string
  readonly sampled: number
  readonly skipped: number
  readonly notSolved: number
  /** 0 to 1; null while nothing is sampled. */
  readonly agreement: number | null
  readonly newFailures: number
  readonly newPlacements: number
}

/** Decisions of a short time that were made again by the other version. */
interface Step {
  readonly at: string
  readonly sampled: number
  readonly agreement: number | null
  readonly elsewhere: number
  readonly newFailures: number
  readonly newPlacements: number
}

/** Where a version puts an instance, and its rank in the other's order. */
interface Choice {
  readonly hostName: string | null
  readonly rank: number | null
}

interface Disagreement {
  readonly decision: { readonly id: string }
  readonly kind: string
  readonly baselineChoice: Choice
  readonly candidateChoice: Choice
}

interface Followed extends Rollout {
  readonly overTime: readonly Step[]
  readonly disagreements: readonly Disagreement[]
}

interface Profile {
  readonly name: string
  readonly active: Version
  readonly rollout: Rollout | null
}

const VERSION = 'profileName number state note'
const FARES = `mode percent since candidate { ${VERSION} } sampled skipped notSolved agreement newFailures newPlacements`
const ROLLOUT = `rollout { ${FARES} }`
const CHOICE = 'hostName rank because'
const OVER_TIME = `overTime(most: 12) { at until sampled agreement elsewhere newFailures newPlacements skipped notSolved }
  disagreements(first: 5) { decision { id } at kind because instance baselineChoice { ${CHOICE} } candidateChoice { ${CHOICE} } }`
const DONE = `__typename ... on ProfilePayload { dryRun version { ${VERSION} } profile { name active { ${VERSION} } ${ROLLOUT} } } ${REFUSAL}`

const TRY = `mutation Try($version: ID!, $rollout: RolloutInput!, $dryRun: Boolean!) {
  result: profileActivate(version: $version, rollout: $rollout, dryRun: $dryRun) { ${DONE} }
}`
const STANDING = 'query Standing($name: String!) { profile(name: $name) { standing } }'
const ROLL_BACK = `mutation RollBack($profile: String!, $reason: String!, $dryRun: Boolean!, $ifStanding: String) {
  result: profileRollback(profile: $profile, reason: $reason, dryRun: $dryRun, ifStanding: $ifStanding) { ${DONE} }
}`
const SHOW = `query Show($name: String!) {
  profile(name: $name) { name active { ${VERSION} } rollout { ${FARES} ${OVER_TIME} } versions(first: 500) { nodes { ${VERSION} diff { field before after } } } }
}`

/** `gantt profile shadow|canary|rollback|show`: a version on its way. */
export function addProfileRollout(profile: Command): void {
  const shadow = profile
    .command('shadow')
    .description('let a version decide beside the active one, on the same states; it claims nothing')
    .argument('<version>', 'name@number', notEmpty)
    .option('--percent <n>', 'share of the calls that it looks at', percent, 100)
    .option('--dry-run', 'only tell what it would do')
    .action((version: string, { percent: share, ...flags }: Flags & { percent: number }) =>
      run(flags, () => tryVersion(version, 'SHADOW', share, flags)),
    )
  withExamples(withService(shadow), [
    ['gantt profile shadow default@3', 'look at every call'],
    ['gantt profile show default', 'and see how it fares'],
  ])

  const canary = profile
    .command('canary')
    .description('let a version decide a share of the calls, the same ones for as long as the share grows')
    .argument('<version>', 'name@number', notEmpty)
    .requiredOption('--percent <n>', 'share of the calls', percent)
    .option('--dry-run', 'only tell what it would do')
    .action((version: string, { percent: share, ...flags }: Flags & { percent: number }) =>
      run(flags, () => tryVersion(version, 'CANARY', share, flags)),
    )
  withExamples(withService(canary), [['gantt profile canary default@3 --percent 5', 'let it decide one call in twenty']])

  const rollback = profile
    .command('rollback')
    .description('take back the version that is tried; where none is, go back to the one that was active before')
    .argument('<profile>', 'its name', notEmpty)
    .requiredOption('--reason <text>', 'why, for the audit', notEmpty)
    .option('--dry-run', 'only tell what it would do')
    .action((name: string, { reason, ...flags }: Flags & { reason: string }) => run(flags, () => rollBack(name, reason, flags)))
  withExamples(withService(rollback), [['gantt profile rollback default --reason "fails GPU requests"', 'get the last one back']])

  const show = profile
    .command('show')
    .description('the versions of a profile: which one decides, which is tried and how it fares, what each changes')
    .argument('<profile>', 'its name', notEmpty)
    .action((name: string, flags: Flags) => run(flags, () => showProfile(name, flags)))
  withExamples(withService(show), [['gantt profile show default', 'what is on its way']])
}

interface Done extends Refusal {
  readonly version?: Version
  readonly profile?: Profile
}

async function tryVersion(version: string, mode: 'SHADOW' | 'CANARY', share: number, { dryRun, ...flags }: Flags): Promise<Result> {
  const { result } = await connect(flags).request<{ result: Done }>(TRY, {
    version,
    rollout: { mode, percent: share },
    dryRun: dryRun === true,
  })
  if (result.version === undefined || result.profile === undefined) throw toRefusal(result)
  const { profileName, number } = result.version
  const does =
    mode === 'CANARY'
      ? `decides ${share} % of the calls for ${profileName}`
      : `looks at ${share} % of the calls for ${profileName}, and claims nothing`
  const text = dryRun ? `Nothing was changed. ${profileName}@${number} would be the one that ${does}.` : `${profileName}@${number} ${does}.`
  return { lines: wrap(text), json: { version: result.version, profile: result.profile, dryRun: dryRun === true }, exitCode: EXIT.done }
}

async function rollBack(name: string, reason: string, { dryRun, ...flags }: Flags): Promise<Result> {
  const service = connect(flags)
  // one more step back is one more command: neither a call that is sent again nor another operator makes two of one
  const { profile: now } = await service.request<{ profile: { standing: string } | null }>(STANDING, { name })
  const { result } = await service.request<{ result: Done }>(ROLL_BACK, {
    profile: name,
    reason,
    dryRun: dryRun === true,
    ifStanding: now?.standing ?? null,
  })
  const { version, profile } = result
  if (version === undefined || profile === undefined) throw toRefusal(result)
  const ref = `${version.profileName}@${version.number}`
  const lines = dryRun
    ? [`Nothing was changed. ${wouldRollBack(name, ref, profile)}`]
    : version.state === 'ACTIVE'
      ? [`${ref} decides as ${name} again.`]
      : [`${ref} is not tried any more; ${name}@${profile.active.number} decides.`]
  return { lines: lines.flatMap((line) => wrap(line)), json: { version, profile, dryRun: dryRun === true }, exitCode: EXIT.done }
}

/** Where something is tried, that is what would end; else the version is the one that was active before. */
const wouldRollBack = (name: string, ref: string, { active, rollout }: Profile): string =>
  rollout === null
    ? `${ref} would decide as ${name} again, and ${name}@${active.number} would be marked as rolled back.`
    : `${ref} would not be tried any more, and ${name}@${active.number} would go on to decide.`

interface Shown extends Profile {
  readonly rollout: Followed | null
  readonly versions: {
    readonly nodes: readonly (Version & {
      readonly diff: readonly { readonly field: string; readonly before: string | null; readonly after: string | null }[]
    })[]
  }
}

async function showProfile(name: string, flags: Flags): Promise<Result> {
  const { profile } = await connect(flags).request<{ profile: Shown | null }>(SHOW, { name })
  if (profile === null) throw notThere(`there is no profile ${name}; "${GANTT} profile list" lists them`)
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

function toRolloutLines(rollout: Rollout | null): readonly string[] {
  if (rollout === null) return []
  const { mode, percent: share, candidate, since, sampled, skipped, notSolved, agreement, newFailures, newPlacements } = rollout
  const fares =
    agreement === null
      ? 'Nothing was compared yet.'
      : `Of ${sampled} decisions ${decimal(agreement * 100)} % alike, ${newFailures} newly failing, ${newPlacements} newly placed.`
  return [
    ...wrap(
      `${candidate.profileName}@${candidate.number} is tried as a ${mode.toLowerCase()} with ${share} % of the calls since ${since}.`,
    ),
    ...wrap(
      [
        fares,
        ...(skipped === 0 ? [] : [`For ${skipped} there was no time.`]),
        ...(notSolved === 0 ? [] : [`About ${notSolved} a solver would have to be asked: they were not compared.`]),
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
      { head: 'alike', align: 'right' },
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
            'The last that they decide otherwise: the host of the active version, that of the other, and the rank of each in the order of the version that did not choose it:',
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
  throw new InvalidArgumentError('It must be 0.01 to 100, with two decimals at most.')
}
