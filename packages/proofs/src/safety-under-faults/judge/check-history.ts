import type { Operation, Place, PlacedClaim } from '../history.ts'
import { isOf, type Lifetime, lifetimesOf, type Of } from './lifetimes.ts'
import type { Rule } from './rule.ts'

/** Promises of the service that are checked on the histories of the clients. */
export const historyChecks: readonly Rule[] = [
  {
    name: 'no host ever holds more than it has',
    violations: ({ setting, history }) => {
      const lives = lifetimesOf(history)
      return setting.hosts.flatMap(({ name, capacity, base }) =>
        Object.entries(capacity).flatMap(([resourceClass, most]) => {
          const there = lives.filter(({ claim, amounts }) => claim.host === name && (amounts[resourceClass] ?? 0) > 0)
          const { most: held, lives: at } = peakOf(there, ({ amounts }) => amounts[resourceClass] ?? 0)
          const peak = held + (base[resourceClass] ?? 0)
          return peak > most ? [`${name} held ${peak} ${resourceClass} of ${most} at once: ${livesText(at)}`] : []
        }),
      )
    },
  },
  {
    name: 'no host ever has more members of a group than its rule allows',
    violations: ({ setting, history }) => {
      const lives = lifetimesOf(history)
      return setting.groups.flatMap((group) => {
        const members = lives.filter((life) => life.group?.uuid === group.uuid)
        const hosts = [...new Set(members.map(({ claim }) => claim.host))]
        if (group.policy === 'AFFINITY') return togetherAlways(group.uuid, members)
        const most = group.maxServerPerHost ?? 1
        return hosts.flatMap((host) => {
          const { most: peak, lives: at } = peakOf(
            members.filter(({ claim }) => claim.host === host),
            () => 1,
          )
          return peak > most ? [`${host} had ${peak} members of group ${group.uuid}; ${most} are allowed: ${livesText(at)}`] : []
        })
      })
    },
  },
  {
    name: 'the same key gets the same answer',
    violations: ({ history }) =>
      [...byKey(history)].flatMap(([key, calls]) => {
        const answers = placedOf(calls)
        const different = new Set(answers.map(({ answer }) => answerOf(answer.claims)))
        const firsts = answers.filter(({ answer }) => !answer.replayed).length
        return [
          ...(different.size > 1 ? [`key ${key} got ${different.size} answers: ${[...different].join(' / ')}`] : []),
          ...(firsts > 1 ? [`${firsts} calls with key ${key} were answered as the first`] : []),
          ...answers.flatMap(({ operation: { endedAt } }) =>
            calls
              .filter(({ invokedAt, outcome }) => invokedAt > endedAt && outcome.type === 'ok' && forgets(outcome.answer.type))
              .map(({ outcome }) => `key ${key} was placed, and a later call with it was answered ${answerText(outcome)}`),
          ),
        ]
      }),
  },
  {
    name: 'an instance that has a claim gets no other',
    violations: ({ history }) => {
      const lives = lifetimesOf(history)
      return history
        .filter(isOf('again'))
        .flatMap(({ call: { key, instance }, outcome, invokedAt, endedAt }) =>
          outcome.type === 'ok' &&
          outcome.answer.type === 'placed' &&
          lives.some(({ claim, from, to }) => claim.instance === instance && from <= invokedAt && to >= endedAt)
            ? [`instance ${instance} had a confirmed claim, and got ${outcome.answer.claims.map(({ id }) => id).join(', ')} by key ${key}`]
            : [],
        )
    },
  },
  {
    name: 'a key that is used for another request is refused',
    violations: ({ history }) => {
      const placedAt = new Map<string, number>()
      for (const { operation } of placedOf(history.filter(isOf('place'))))
        placedAt.set(operation.call.key, Math.min(placedAt.get(operation.call.key) ?? operation.endedAt, operation.endedAt))
      return history
        .filter(isOf('misuse'))
        .filter(({ call, outcome, invokedAt }) => outcome.type === 'ok' && invokedAt > (placedAt.get(call.key) ?? Number.POSITIVE_INFINITY))
        .filter(({ outcome }) => outcome.type === 'ok' && outcome.answer.type !== 'conflict')
        .map(({ call, outcome }) => `another request with key ${call.key} was answered ${answerText(outcome)}`)
    },
  },
  {
    name: 'the answer to a request for several instances is complete',
    violations: ({ history }) =>
      placedOf(history.filter(isOf('place'))).flatMap(({ operation: { call }, answer }) =>
        answer.claims.length === call.instances.length && call.instances.every((uuid, i) => answer.claims[i]?.instance === uuid)
          ? []
          : [`key ${call.key} asked for ${call.instances.length} instances and got ${answer.claims.length}`],
      ),
  },
  {
    name: 'a later claim has a higher fence',
    violations: ({ history }) => {
      const first = placedOf(history.filter(isOf('place'))).filter(({ answer }) => !answer.replayed)
      const given = first.map(({ operation: { endedAt }, answer }) => ({
        endedAt,
        number: Math.max(...answer.claims.map(({ fence }) => fence)),
      }))
      return withHighestBefore(first, given).flatMap(({ placed, highest }) =>
        placed.answer.claims
          .filter(({ fence }) => fence <= highest)
          .map(({ id, fence }) => `claim ${id} got fence ${fence}, after ${highest} had been given`),
      )
    },
  },
  {
    name: 'an instance that is placed after an answer comes after it in the log',
    violations: ({ history }) => {
      const first = placedOf(history.filter(isOf('place'))).filter(({ answer }) => !answer.replayed)
      const revisions = history.map((operation) => ({ endedAt: operation.endedAt, number: revisionIn(operation) }))
      return withHighestBefore(first, revisions).flatMap(({ placed: { operation, answer }, highest }) =>
        answer.revision <= highest
          ? [`key ${operation.call.key} was placed at revision ${answer.revision}, after ${highest} had been answered`]
          : [],
      )
    },
  },
  {
    name: 'a released claim stays released, and an old fence changes nothing',
    violations: ({ history }) => {
      const released = releasesOf(history)
      const fences = new Map(lifetimesOf(history).map(({ claim }) => [claim.id, claim.fence]))
      return history.filter(isOf('confirm', 'extend', 'release')).flatMap(({ call, outcome, invokedAt }) => {
        if (outcome.type !== 'ok' || outcome.answer.type !== 'ends') return []
        const { results } = outcome.answer
        return call.claims.flatMap(({ id, fence }, i) => {
          if (results[i]?.end !== 'done') return []
          const mine = fences.get(id)
          if (mine !== undefined && mine !== fence) return [`${call.type} of claim ${id} was done with fence ${fence}; it has ${mine}`]
          const endedAt = released.get(id)
          return call.type !== 'release' && endedAt !== undefined && invokedAt > endedAt.at
            ? [`${call.type} of claim ${id} was done after its release`]
            : []
        })
      })
    },
  },
  {
    name: 'a read with minRevision sees everything written up to it',
    violations: ({ history }) => {
      const released = releasesOf(history)
      const confirmed = confirmationsOf(history)
      return placedOf(history.filter(isOf('place'))).flatMap(({ operation: { call, replica }, answer }) =>
        answer.claims.flatMap(({ id, state }) => {
          const { minRevision } = call
          if (minRevision === null) return []
          const end = released.get(id)
          if (
            end !== undefined &&
            end.revision <= minRevision &&
            (state === 'RESERVED' || state === 'CONFIRMED' || state === 'MATERIALISED')
          )
            return [`replica ${replica} showed claim ${id} as ${state} at ${minRevision}; it was released at ${end.revision}`]
          const since = confirmed.get(id)
          return since !== undefined && since <= minRevision && state === 'RESERVED'
            ? [`replica ${replica} showed claim ${id} as RESERVED at ${minRevision}; it was confirmed at ${since}`]
            : []
        }),
      )
    },
  },
  {
    name: 'a disabled host takes nothing new',
    violations: ({ history }) => {
      const edits = history.filter(isOf('status'))
      const first = placedOf(history.filter(isOf('place'))).filter(({ answer }) => !answer.replayed)
      return edits.flatMap(({ call: { host, status }, outcome, endedAt }) => {
        if (status !== 'DISABLED' || outcome.type !== 'ok') return []
        const opened = Math.min(
          Number.POSITIVE_INFINITY,
          ...edits
            .filter(({ call, invokedAt }) => call.host === host && call.status === 'ENABLED' && invokedAt >= endedAt)
            .map(({ invokedAt }) => invokedAt),
        )
        // An earlier call with the same key can have been placed before the host was disabled.
        const begun = new Map<string, number>()
        for (const { call, invokedAt } of history.filter(isOf('place')))
          begun.set(call.key, Math.min(begun.get(call.key) ?? invokedAt, invokedAt))
        return first
          .filter(({ operation }) => (begun.get(operation.call.key) as number) > endedAt && operation.endedAt < opened)
          .flatMap(({ answer }) => answer.claims.filter((claim) => claim.host === host))
          .map(({ id }) => `claim ${id} was placed on ${host} while it was closed`)
      })
    },
  },
  {
    name: 'an edit of a version counts once',
    violations: ({ history }) => {
      const seen = new Set<string>()
      return history.filter(isOf('aggregate')).flatMap(({ call, outcome }) => {
        if (outcome.type !== 'ok' || outcome.answer.type !== 'edited') return []
        const { version } = outcome.answer
        const edit = `${call.uuid} ${version}`
        if (version !== call.ifVersion + 1) return [`aggregate ${call.uuid} went from version ${call.ifVersion} to ${version}`]
        if (seen.has(edit)) return [`two edits of aggregate ${call.uuid} made version ${version}`]
        seen.add(edit)
        return []
      })
    },
  },
]

/** The placements, each with the highest number, a revision or a fence, in the answers that were received before its call was sent. */
function withHighestBefore(
  placings: readonly PlacedAnswer[],
  revisions: readonly { readonly endedAt: number; readonly number: number }[],
): { readonly placed: PlacedAnswer; readonly highest: number }[] {
  const ended = [...revisions].sort((a, b) => a.endedAt - b.endedAt)
  let highest = 0
  let next = 0
  return [...placings]
    .sort((a, b) => a.operation.invokedAt - b.operation.invokedAt)
    .map((placed) => {
      for (let before = ended[next]; before !== undefined && before.endedAt < placed.operation.invokedAt; before = ended[++next])
        highest = Math.max(highest, before.number)
      return { placed, highest }
    })
}

/** The highest revision in an answer. 0 if there is none. */
function revisionIn({ outcome }: Operation): number {
  if (outcome.type !== 'ok') return 0
  const { answer } = outcome
  if (answer.type === 'placed' || answer.type === 'abandoned') return answer.revision
  return answer.type === 'ends' ? Math.max(0, ...answer.results.map(({ revision }) => revision)) : 0
}

/**
 * The largest amount that claims held at one time, and the claims that held it. A claim that ended exactly at this time is not included.
 */
function peakOf(
  lives: readonly Lifetime[],
  amountOf: (life: Lifetime) => number,
): { readonly most: number; readonly lives: readonly Lifetime[] } {
  const steps = lives
    .filter(({ from, to }) => from < to)
    .flatMap((life) => [
      { at: life.from, by: amountOf(life), life },
      { at: life.to, by: -amountOf(life), life },
    ])
    .sort((a, b) => a.at - b.at || a.by - b.by)
  const there = new Set<Lifetime>()
  let now = 0
  let most = 0
  let atMost: readonly Lifetime[] = []
  for (const { by, life } of steps) {
    now += by
    if (by > 0) there.add(life)
    else there.delete(life)
    if (now <= most) continue
    most = now
    atMost = [...there]
  }
  return { most, lives: atMost }
}

/** The claims as text, for people who investigate a violation. */
const livesText = (lives: readonly Lifetime[]): string => lives.map(lifeText).join(', ')

function lifeText({ claim, call: { key, mode, moveOf, attempt }, from, to }: Lifetime): string {
  const moves = moveOf === null ? '' : `, moves ${moveOf.id}${attempt === undefined ? '' : ` as ${attempt.type}`}`
  return `${claim.id} of ${key} (${mode}, ${from.toFixed(0)} to ${to.toFixed(0)} ms${moves})`
}

function togetherAlways(uuid: string, members: readonly Lifetime[]): string[] {
  return members.flatMap((a, i) =>
    members
      .slice(i + 1)
      .filter((b) => a.claim.host !== b.claim.host && Math.max(a.from, b.from) < Math.min(a.to, b.to))
      .map((b) => `group ${uuid} was on ${a.claim.host} and ${b.claim.host} at once`),
  )
}

export function byKey(history: readonly Operation[]): ReadonlyMap<string, Of<'place'>[]> {
  const calls = new Map<string, Of<'place'>[]>()
  for (const operation of history.filter(isOf('place'))) {
    const of = calls.get(operation.call.key)
    if (of === undefined) calls.set(operation.call.key, [operation])
    else of.push(operation)
  }
  return calls
}

interface PlacedAnswer {
  readonly operation: Operation & { readonly call: Place }
  readonly answer: { readonly claims: readonly PlacedClaim[]; readonly replayed: boolean; readonly revision: number }
}

/** The placements in the answers of these calls. */
export const placedOf = (calls: readonly Of<'place'>[]): PlacedAnswer[] =>
  calls.flatMap((operation) =>
    operation.outcome.type === 'ok' && operation.outcome.answer.type === 'placed' ? [{ operation, answer: operation.outcome.answer }] : [],
  )

/**
 * Whether this type of answer shows that the service forgot the key. As long as the key of a claim is stored, a call with this key must get
 * the same claims, even if the claims have ended.
 */
const forgets = (type: string): boolean => type === 'refused' || type === 'conflict' || type === 'lost'

const answerText = (outcome: Operation['outcome']): string => (outcome.type === 'ok' ? outcome.answer.type : outcome.why)

const answerOf = (claims: readonly PlacedClaim[]): string => claims.map(({ id, fence, host }) => `${id}@${host}#${fence}`).join(',')

/** For each released claim: the time and revision of the earliest answer that reports the release. */
export function releasesOf(history: readonly Operation[]): ReadonlyMap<string, { readonly at: number; readonly revision: number }> {
  const released = new Map<string, { at: number; revision: number }>()
  const note = (id: string, at: number, revision: number): void => {
    const known = released.get(id)
    released.set(id, { at: Math.min(known?.at ?? at, at), revision: Math.min(known?.revision ?? revision, revision) })
  }
  for (const { call, outcome, endedAt } of history) {
    if (outcome.type !== 'ok') continue
    const { answer } = outcome
    if (call.type === 'release' && answer.type === 'ends')
      for (const [i, { id }] of call.claims.entries()) {
        const result = answer.results[i]
        if (result?.end === 'done') note(id, endedAt, result.revision)
      }
    if (answer.type === 'abandoned') for (const id of answer.claims) note(id, endedAt, answer.revision)
  }
  return released
}

/** For each confirmed claim: the revision in the answer that reports the confirmation. */
function confirmationsOf(history: readonly Operation[]): ReadonlyMap<string, number> {
  const confirmed = new Map<string, number>()
  for (const { call, outcome } of history.filter(isOf('confirm'))) {
    if (outcome.type !== 'ok' || outcome.answer.type !== 'ends') continue
    for (const [i, { id }] of call.claims.entries()) {
      const result = outcome.answer.results[i]
      if (result?.end === 'done') confirmed.set(id, Math.min(confirmed.get(id) ?? result.revision, result.revision))
    }
  }
  return confirmed
}
