import { addressOfKey } from '../hosts/host-address.ts'
import type { CauseFound, Factor, Goal, Side, Trial } from './cause.ts'
import type { FieldChange } from './field-change.ts'
import type { FleetChanges } from './fleet-changes.ts'

interface Comparison extends CauseFound {
  readonly specChanges: readonly FieldChange[]
  readonly profileChanges: readonly FieldChange[]
  readonly fleetChanges: FleetChanges | undefined
}

/** Explains the cause of the difference between two decisions, with its evidence, in sentences. */
export function comparisonText(comparison: Comparison, [first, second]: readonly [Side, Side]): string {
  const { cause, goals, sufficient } = comparison
  const differing = differencesOf(comparison, first, second)
  const gone = [first, second].flatMap(({ lost }) => (lost === undefined ? [] : [lost.revision]))
  if (cause === 'NONE') {
    const rest =
      differing.length === 0
        ? gone.length === 0
          ? 'Nothing differs.'
          : 'No known input differs.'
        : `${sentence(`${list(differing)} ${isOne(differing)}`)}, but that did not change the hosts.`
    return `Both ${goalText(goals[0], first, true)}. ${rest}`
  }
  const [a, b] = [goalText(goals[0], first), goalText(goals[1], second)]
  const both = `The first ${a}, the second ${b}.`
  if (cause === 'UNKNOWN') return `${both} ${goneText(gone, differing)}`
  if (cause !== 'MIXED')
    return [
      both,
      `The cause is ${nouns[cause]}: with ${nouns[cause]} of the second alone, the first ${b} too.`,
      othersText(comparison, cause, first),
    ]
      .join(' ')
      .trim()
  const sets = sufficient.map((set) =>
    list(
      set.map((factor) => nouns[factor]),
      'and',
    ),
  )
  const [only] = sets
  if (sets.length === 1)
    return `${both} The cause is ${only} of the second together: if the first decision takes only some of them from the second, it does not choose the same hosts as the second.`
  const isSingle = sufficient[0]?.length === 1
  return `${both} ${isSingle ? 'Each of these alone has this effect' : 'Each of these combinations has this effect'}: ${sets.join('; ')}.`
}

const nouns: Readonly<Record<Factor, string>> = {
  SPEC: 'the request',
  PROFILE: 'the profile',
  FLEET: 'the state of the fleet',
  RANDOM: 'the seed',
}

/**
 * Names the factors that differ but are not the cause, each with the hosts that the first decision chooses if this factor is taken from the
 * second decision.
 */
function othersText({ trials, ...comparison }: Comparison, cause: Factor, first: Side): string {
  const isDifferent: Readonly<Record<Factor, boolean>> = {
    SPEC: comparison.specChanges.length > 0,
    PROFILE: comparison.profileChanges.length > 0,
    FLEET: (comparison.fleetChanges?.hosts ?? 0) > 0,
    RANDOM: false,
  }
  const single = trials.filter(({ factors }) => factors.length === 1 && factors[0] !== cause && isDifferent[factors[0] as Factor])
  return single.map((trial) => `With ${nouns[trial.factors[0] as Factor]} of the second alone it ${trialText(trial, first)}.`).join(' ')
}

const trialText = ({ goal }: Trial, side: Side): string =>
  goal === undefined ? 'cannot be decided, because the claim to move, an external answer or a solution is missing' : goalText(goal, side)

const SHOWN = 3

/** Completes a sentence about one decision: "goes to h1, h2, h3 and 2 more". With `isBoth`, about both decisions: "go to h1". */
function goalText(keys: Goal, { record, fleet }: Side, isBoth = false): string {
  const goal = keys.map((key) => addressOfKey(fleet.hosts, key))
  const asked = record.request.numInstances
  const [go, find, place] = isBoth ? ['go', 'find', 'place'] : ['goes', 'finds', 'places']
  if (goal.length === 0) return `${find} no host`
  const hosts = goal.length > SHOWN ? `${goal.slice(0, SHOWN).join(', ')} and ${goal.length - SHOWN} more` : list(goal)
  return goal.length < asked ? `${place} ${goal.length} of ${asked} instances on ${hosts}` : `${go} to ${hosts}`
}

/**
 * Says why the cause cannot be determined, and which inputs are known to differ. `gone` has the revisions whose states are no longer
 * stored.
 */
function goneText(gone: readonly number[], differing: readonly string[]): string {
  const revisions = [...new Set(gone)]
  const states = revisions.length === 1 ? `revision ${revisions[0]}, the state` : `revisions ${revisions.join(' and ')}, the states`
  const why = `The cause cannot be determined any more: the log no longer contains ${states} on which ${gone.length === 1 ? 'one of them was' : 'they were'} decided.`
  const seen = differing.length === 0 ? 'Request, profile and seed are the same' : `${sentence(list(differing))} differ`
  return `${why} ${seen}; whether the states of the fleet differ is not known.`
}

function differencesOf({ specChanges, profileChanges, fleetChanges }: Comparison, first: Side, second: Side): string[] {
  const hosts = fleetChanges?.hosts ?? 0
  return [
    ...(specChanges.length > 0 ? ['the requests'] : []),
    ...(profileChanges.length > 0 ? ['the profiles'] : []),
    ...(hosts > 0 ? [`${hosts} ${hosts === 1 ? 'host' : 'hosts'} of the fleet`] : []),
    ...(first.record.seed !== second.record.seed ? ['the seeds'] : []),
  ]
}

const list = (words: readonly string[], joint = 'and'): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} ${joint} ${words.at(-1)}`

const isOne = (words: readonly string[]): string => (words.length === 1 && words[0]?.startsWith('1 ') ? 'differs' : 'differ')

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
