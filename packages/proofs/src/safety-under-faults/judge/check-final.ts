import { type Amounts, type FinalClaim, type FinalState, isLiveState, type Operation } from '../history.ts'
import { isPickedUnit } from '../picked-units.ts'
import { byKey, placedOf, releasesOf } from './check-history.ts'
import { isOf, lifetimesOf, type Of } from './lifetimes.ts'
import { countOf, isUnconfirmed, lastReportOf, sumOf } from './reported.ts'
import type { Rule } from './rule.ts'

/** Promises of the service that are checked on the final state of each replica. */
export const finalChecks: readonly Rule[] = [
  {
    name: 'at the end no host holds more than it has',
    violations: ({ setting, history, finals }) =>
      finals.flatMap((final) =>
        setting.hosts.flatMap(({ name, capacity, base }) => {
          const there = final.claims.filter(({ host, state }) => host === name && isLiveState(state))
          const shown = final.hosts.find((host) => host.name === name)
          const report = lastReportOf(history, name)
          return Object.entries(capacity).flatMap(([resourceClass, most]) => {
            const held = sumOf(there, resourceClass) + (base[resourceClass] ?? 0)
            const usage = shown?.classes[resourceClass]
            const sum = (usage?.used ?? 0) + (usage?.claimed ?? 0)
            // A host can report more use than the sum of its own use and the claims of its listed instances. No promise covers this excess.
            const { reported, counted } = countOf(there, report, resourceClass)
            const unpromised = Math.max(0, reported - counted - (base[resourceClass] ?? 0))
            return [
              ...(held > most ? [`${name} holds claims for ${held} ${resourceClass} of ${most} (replica ${final.replica})`] : []),
              ...(sum > most + unpromised
                ? [
                    `${name} shows ${sum} ${resourceClass} of ${most}, ${unpromised} of these reported without a claim (replica ${final.replica})`,
                  ]
                : []),
            ]
          })
        }),
      ),
  },
  {
    name: 'amounts keep to the unit rules of their class',
    violations: ({ setting, history, finals }) =>
      Object.entries(setting.units).flatMap(([resourceClass, { min, max, step }]) => {
        const isFine = (amount: number): boolean => amount === 0 || (amount >= min && amount <= max && amount % step === 0)
        const answered = lifetimesOf(history).map(({ claim, amounts }) => ({ id: claim.id, amounts, where: 'in the answer' }))
        const shown = finals.flatMap(({ claims, replica }) =>
          claims.map(({ id, amounts }) => ({ id, amounts, where: `replica ${replica}` })),
        )
        return [...answered, ...shown]
          .filter(({ amounts }) => !isFine(amounts[resourceClass] ?? 0))
          .map(({ id, amounts, where }) => `claim ${id} has ${amounts[resourceClass]} ${resourceClass} (${where})`)
      }),
  },
  {
    name: 'at the end no instance has two live claims',
    violations: ({ finals }) =>
      finals.flatMap(({ claims, replica }) => {
        const byInstance = new Map<string, string[]>()
        // Only a move may have two live claims: one source and one destination.
        for (const { id, instance, state, moveOf = null } of claims)
          if (instance !== null && isLiveState(state)) {
            const end = `${instance} ${moveOf === null ? 'has' : 'moves to'}`
            byInstance.set(end, [...(byInstance.get(end) ?? []), id])
          }
        return [...byInstance]
          .filter(([, ids]) => ids.length > 1)
          .map(([end, ids]) => `instance ${end} claims ${ids.join(' and ')} (replica ${replica})`)
      }),
  },
  {
    name: 'every claim is on a host that exists',
    violations: ({ setting, history, finals }) => {
      const names = new Set(setting.hosts.map(({ name }) => name))
      const answered = lifetimesOf(history).flatMap(({ claim: { id, host } }) =>
        names.has(host) ? [] : [`claim ${id} was said to be on ${host}, which nobody reported`],
      )
      const shown = finals.flatMap(({ claims, hosts, replica }) => {
        const there = new Set(hosts.map(({ name }) => name))
        return claims
          .filter(({ host }) => !there.has(host))
          .map(({ id, host }) => `claim ${id} is on ${host}, which is not there (replica ${replica})`)
      })
      return [...answered, ...shown]
    },
  },
  {
    name: 'at the end each host counts exactly its claims',
    violations: ({ setting, history, finals }) =>
      finals.flatMap((final) =>
        setting.hosts.flatMap(({ name, capacity }) => {
          const there = final.claims.filter(({ host, state }) => host === name && isLiveState(state))
          const shown = final.hosts.find((host) => host.name === name)
          const report = lastReportOf(history, name)
          const isNot = (resourceClass: string, what: string, found: number | undefined, needed: number): string[] =>
            found === needed
              ? []
              : [`${name} shows ${found} ${resourceClass} ${what}; its report and claims say ${needed} (replica ${final.replica})`]
          return Object.entries(capacity).flatMap(([resourceClass, most]) => {
            const { reported, counted, others } = countOf(there, report, resourceClass)
            const claimed = others + Math.max(0, counted - reported)
            if (isPickedUnit(resourceClass)) {
              // If more units are used and claimed than the host has, the free amount can be negative. It is compared as 0.
              const free = shown?.freeUnits[resourceClass]
              return isNot(resourceClass, 'free', free && Math.max(0, free), Math.max(0, most - reported - claimed))
            }
            const usage = shown?.classes[resourceClass]
            return [...isNot(resourceClass, 'claimed', usage?.claimed, claimed), ...isNot(resourceClass, 'used', usage?.used, reported)]
          })
        }),
      ),
  },
  {
    name: 'at the end a claim is materialised where its host lists the instance, and nowhere else',
    violations: ({ setting, history, finals }) =>
      finals.flatMap((final) =>
        setting.hosts.flatMap(({ name }) => {
          const listed = lastReportOf(history, name)?.instances ?? []
          return (
            final.claims
              .filter(({ host, state }) => host === name && isLiveState(state))
              .filter(({ instance, state }) => (state === 'MATERIALISED') !== (instance !== null && listed.includes(instance)))
              // An unconfirmed claim can be RESERVED or MATERIALISED: that depends on whether the host listed the instance before.
              .filter((claim) => !isUnconfirmed(claim))
              .map(
                ({ id, state, instance }) =>
                  `claim ${id} is ${state}; ${name} ${listed.includes(instance ?? '') ? 'lists' : 'does not list'} its instance (replica ${final.replica})`,
              )
          )
        }),
      ),
  },
  {
    name: 'at the end no group rule is broken',
    violations: ({ setting, finals }) =>
      finals.flatMap((final) =>
        setting.groups.flatMap((group) => {
          const members: Record<string, number> = {}
          for (const { host, state } of final.claims.filter((claim) => claim.group === group.uuid))
            if (isLiveState(state)) members[host] = (members[host] ?? 0) + 1
          const shown = final.groups.find(({ uuid }) => uuid === group.uuid)?.members ?? {}
          const most = group.policy === 'AFFINITY' ? Number.POSITIVE_INFINITY : (group.maxServerPerHost ?? 1)
          const where = JSON.stringify(members)
          return [
            ...(Object.values(members).some((count) => count > most)
              ? [`group ${group.uuid} allows ${most} on a host and has ${where}`]
              : []),
            ...(group.policy === 'AFFINITY' && Object.keys(members).length > 1
              ? [`group ${group.uuid} is on several hosts: ${where}`]
              : []),
            ...(sorted(shown) === sorted(members) ? [] : [`group ${group.uuid} shows ${JSON.stringify(shown)} and has ${where}`]),
          ]
        }),
      ),
  },
  {
    name: 'every acknowledged claim is there',
    violations: ({ history, finals }) =>
      finals.flatMap((final) => {
        const claims = new Map(final.claims.map((claim) => [claim.id, claim]))
        return lifetimesOf(history).flatMap(({ claim, to, amounts, group }) => {
          const found = claims.get(claim.id)
          const where = `(replica ${final.replica})`
          if (found === undefined) return [`claim ${claim.id} on ${claim.host} is lost ${where}`]
          if (to === Number.POSITIVE_INFINITY && !isLiveState(found.state))
            return [`claim ${claim.id} is ${found.state}; nobody ended it ${where}`]
          const shown = textOf([found.host, found.fence, found.instance, found.group, sorted(found.amounts)])
          const answered = textOf([claim.host, claim.fence, claim.instance, group?.uuid ?? null, sorted(amounts)])
          return shown === answered ? [] : [`claim ${claim.id} is ${shown}, and was answered as ${answered} ${where}`]
        })
      }),
  },
  {
    name: 'no released claim is held at the end',
    violations: ({ history, finals }) => {
      const released = releasesOf(history)
      return finals.flatMap((final) =>
        final.claims
          .filter(({ id, state }) => released.has(id) && isLiveState(state))
          .map(({ id, state }) => `claim ${id} was released and is ${state} (replica ${final.replica})`),
      )
    },
  },
  {
    name: 'a confirmed move has ended its source',
    violations: ({ history, finals }) => {
      const confirmed = new Set(
        history.filter(isOf('confirm')).flatMap(({ call, outcome }) => {
          if (outcome.type !== 'ok' || outcome.answer.type !== 'ends') return []
          const { results } = outcome.answer
          return call.claims.filter((_claim, i) => results[i]?.end === 'done').map(({ id }) => id)
        }),
      )
      const moves = placedOf(history.filter(isOf('place'))).flatMap(({ operation: { call }, answer }) =>
        call.moveOf !== null && answer.claims.some(({ id }) => confirmed.has(id)) ? [call.moveOf.id] : [],
      )
      return finals.flatMap((final) => {
        const live = new Set(final.claims.filter(({ state }) => isLiveState(state)).map(({ id }) => id))
        return moves.filter((id) => live.has(id)).map((id) => `claim ${id} was moved and still lives (replica ${final.replica})`)
      })
    },
  },
  {
    name: 'a further attempt has ended the one before it',
    violations: ({ history, finals }) => {
      const ends = history.filter(isOf('confirm', 'extend'))
      const over = placedOf(history.filter(isOf('place'))).flatMap(({ operation: { call, endedAt } }) => {
        const ended = call.attempt?.ends?.id
        const of = ends.filter((operation) => operation.call.claims.some(({ id }) => id === ended))
        // A confirmation of the earlier move can have taken effect before this attempt. In that case the attempt did not end the earlier
        // move, but moved the instance from its destination.
        const isArrived = of.some(
          (operation) => operation.call.type === 'confirm' && operation.invokedAt < endedAt && mayCount(operation, ended),
        )
        return ended === undefined || isArrived ? [] : [{ ended, endedAt, of }]
      })
      const later = over.flatMap(({ ended, endedAt, of }) =>
        of
          .filter((operation) => operation.invokedAt > endedAt && operation.outcome.type === 'ok' && mayCount(operation, ended))
          .map(({ call }) => `${call.type} of claim ${ended} was done, and another attempt had begun`),
      )
      return finals.flatMap((final) => {
        const live = new Set(final.claims.filter(({ state }) => isLiveState(state)).map(({ id }) => id))
        const lives = over.filter(({ ended }) => live.has(ended))
        return [...later, ...lives.map(({ ended }) => `claim ${ended} lives in addition to a further attempt (replica ${final.replica})`)]
      })
    },
  },
  {
    name: 'a key has one claim for each instance, or none',
    violations: ({ history, finals }) => finals.flatMap((final) => keysWithOtherClaims(history, final)),
  },
  {
    name: 'an abandoned idempotency key holds no claim',
    violations: ({ history, finals }) => {
      const abandoned = new Set(history.filter(isOf('abandon')).flatMap(({ call, outcome }) => (outcome.type === 'ok' ? [call.key] : [])))
      const moved = new Set(history.filter(isOf('place')).flatMap(({ call }) => (call.moveOf === null ? [] : call.instances)))
      return finals.flatMap((final) => {
        const live = new Map(final.claims.filter(({ state }) => isLiveState(state)).map((claim) => [claim.instance, claim]))
        return [...byKey(history)]
          .filter(([key]) => abandoned.has(key))
          .flatMap(([key, [first]]) =>
            (first?.call.instances ?? [])
              .filter((uuid) => live.has(uuid) && !moved.has(uuid))
              .map((uuid) => `key ${key} was abandoned and holds claim ${live.get(uuid)?.id} (replica ${final.replica})`),
          )
      })
    },
  },
  {
    name: 'all replicas show the same',
    violations: ({ finals: [first, ...others] }) => {
      if (first === undefined) return ['no replica was asked']
      const claims = new Map(first.claims.map((claim) => [claim.id, textOf(claim)]))
      const hosts = new Map(first.hosts.map(({ name, ...amounts }) => [name, textOf(amounts)]))
      return others.flatMap((other) => [
        ...(other.claims.length === claims.size ? [] : [`replica ${other.replica} has ${other.claims.length} claims, not ${claims.size}`]),
        ...other.claims
          .filter((claim) => claims.get(claim.id) !== textOf(claim))
          .map((claim) => `replica ${other.replica} shows ${textOf(claim)}, not ${claims.get(claim.id)}`),
        ...other.hosts
          .filter(({ name, ...amounts }) => hosts.get(name) !== textOf(amounts))
          .map(({ name, ...amounts }) => `replica ${other.replica} shows ${name} with ${textOf(amounts)}, not ${hosts.get(name)}`),
      ])
    },
  },
]

/**
 * The violations by claims that no answer contains. Such a claim must belong to a call with an unknown outcome, and each such call can
 * explain only one claim per instance. If a request is for several instances, either all of its claims exist or none. If all calls with a
 * key were refused, no claim with this key may exist.
 */
function keysWithOtherClaims(history: readonly Operation[], final: FinalState): string[] {
  // Answers to `again` calls are included. An instance can get a claim from such a call if its host was removed together with its claims.
  const answers = history.filter(isOf('place', 'again')).flatMap(({ outcome }) => (outcome.type === 'ok' ? [outcome.answer] : []))
  const answered = new Set(answers.flatMap((answer) => (answer.type === 'placed' ? answer.claims.map(({ id }) => id) : [])))
  const open = new Map<string, number>()
  for (const { call, outcome } of history.filter(isOf('again')))
    if (outcome.type === 'info') open.set(call.instance, (open.get(call.instance) ?? 0) + 1)
  const instances = new Set<string>()
  const keys = [...byKey(history)].map(([key, calls]) => ({
    key,
    calls,
    isPlaced: placedOf(calls).length > 0,
    isOpen: calls.some(({ outcome }) => outcome.type === 'info'),
  }))
  for (const { calls, isPlaced, isOpen } of keys)
    for (const uuid of calls[0]?.call.instances ?? []) {
      instances.add(uuid)
      if (isOpen && !isPlaced) open.set(uuid, (open.get(uuid) ?? 0) + 1)
    }
  const byInstance = new Map<string, FinalClaim[]>()
  const where = `(replica ${final.replica})`
  const violations: string[] = []
  for (const claim of final.claims) {
    const { id, instance } = claim
    if (instance === null || !instances.has(instance)) {
      violations.push(`no call requested claim ${id} ${where}`)
      continue
    }
    byInstance.set(instance, [...(byInstance.get(instance) ?? []), claim])
    if (answered.has(id)) continue
    const left = open.get(instance) ?? 0
    if (left === 0) violations.push(`claim ${id} for instance ${instance} is one more than the answers to its calls contain ${where}`)
    else open.set(instance, left - 1)
  }
  for (const { key, calls } of keys) {
    const [first] = calls
    if (first === undefined || first.call.moveOf !== null) continue
    const there = first.call.instances.filter((uuid) => byInstance.has(uuid)).length
    if (there !== 0 && there !== first.call.instances.length)
      violations.push(`key ${key} has claims for ${there} of its ${first.call.instances.length} instances ${where}`)
  }
  return violations
}

/** Whether a call possibly changed the claim. */
const mayCount = ({ call, outcome }: Of<'confirm' | 'extend'>, claim: string | undefined): boolean =>
  outcome.type === 'info' ||
  (outcome.type === 'ok' &&
    outcome.answer.type === 'ends' &&
    outcome.answer.results[call.claims.findIndex(({ id }) => id === claim)]?.end === 'done')

/** The amounts as text in a fixed order. Amounts of zero are left out. */
const sorted = (amounts: Amounts): string =>
  JSON.stringify(
    Object.entries(amounts)
      .filter(([, amount]) => amount > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

const textOf = (value: object): string => JSON.stringify(value)
