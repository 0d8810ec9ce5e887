import type { Operation } from '../history.ts'
import { placedOf } from './check-history.ts'
import { isOf, lifetimesOf } from './lifetimes.ts'
import type { Rule } from './rule.ts'

/** Promises of the service about ratios and reserved amounts that operators set. */
export const allocationChecks: readonly Rule[] = [
  {
    name: 'at the end each host offers the amounts that operators set',
    violations: ({ setting, history, finals }) =>
      finals.flatMap(({ hosts, replica }) =>
        setting.hosts.flatMap(({ name, capacity }) =>
          Object.entries(capacity).flatMap(([resourceClass, total]) => {
            const found = hosts.find((host) => host.name === name)?.classes[resourceClass]?.capacity
            const possible = lastOf(history, name, resourceClass).map((edit) => capacityOf(total, edit))
            return found === undefined || possible.includes(found)
              ? []
              : [`${name} may give ${found} ${resourceClass}; operators left ${possible.join(' or ')} (replica ${replica})`]
          }),
        ),
      ),
  },
  {
    name: 'a host gets no claims beyond the amounts that operators set',
    violations: ({ setting, history }) => {
      const lives = lifetimesOf(history)
      const begun = new Map<string, number>()
      for (const { call, invokedAt } of history.filter(isOf('place')))
        begun.set(call.key, Math.min(begun.get(call.key) ?? invokedAt, invokedAt))
      const first = placedOf(history.filter(isOf('place'))).filter(
        ({ answer, operation }) => !answer.replayed && operation.call.moveOf === null,
      )
      return setting.hosts.flatMap(({ name, capacity, base }) =>
        windowsOf(history, name).flatMap(({ from, to, resourceClass, ...edit }) => {
          const most = capacityOf(capacity[resourceClass] ?? 0, edit)
          return first.flatMap(({ operation: { call, endedAt }, answer }) => {
            const start = begun.get(call.key) as number
            const amount = call.amounts[resourceClass] ?? 0
            const here = answer.claims.filter(({ host }) => host === name)
            if (start <= from || endedAt >= to || here.length === 0 || amount === 0) return []
            const own = new Set(here.map(({ id }) => id))
            // Other claims that were certainly live during the whole call. The amount that they hold was not available.
            const others = lives.filter(
              (life) => life.claim.host === name && life.from <= start && life.to >= endedAt && !own.has(life.claim.id),
            )
            const sum =
              others.reduce((held, { amounts }) => held + (amounts[resourceClass] ?? 0), base[resourceClass] ?? 0) + here.length * amount
            return sum > most ? [`${name} has ${sum} ${resourceClass} allocated after key ${call.key}; operators left ${most}`] : []
          })
        }),
      )
    },
  },
]

interface Edit {
  readonly ratio: number | null
  readonly reserved: number | null
}

const NOTHING: Edit = { ratio: null, reserved: null }

const capacityOf = (total: number, { ratio, reserved }: Edit): number => Math.floor(Math.max(0, total - (reserved ?? 0)) * (ratio ?? 1))

/**
 * The calls that set values of a class on a host, or remove the host together with these values. Calls that certainly had no effect are
 * left out.
 */
function editsOf(history: readonly Operation[], host: string, resourceClass: string) {
  return history.flatMap(({ call, outcome, invokedAt, endedAt }) => {
    if (outcome.type === 'fail') return []
    const isCertain = outcome.type === 'ok'
    if (isCertain && outcome.answer.type !== 'done') return []
    const times = { invokedAt, endedAt, isCertain }
    if (call.type === 'allocate' && call.host === host && call.resourceClass === resourceClass) {
      const { ratio, reserved } = call
      return [{ ...times, edit: { ratio, reserved } }]
    }
    const isNew = call.type === 'leave' && call.host === host && (call.how === 'forget' || call.how === 'force')
    return isNew ? [{ ...times, edit: NOTHING }] : []
  })
}

/**
 * The values that can apply at the end: the value of the last answered edit, and the values of unanswered edits. An unanswered edit can
 * take effect at any time.
 */
function lastOf(history: readonly Operation[], host: string, resourceClass: string): readonly Edit[] {
  const edits = editsOf(history, host, resourceClass)
  const last = edits.filter(({ isCertain }) => isCertain).sort((a, b) => b.endedAt - a.endedAt)[0]
  return [last?.edit ?? NOTHING, ...edits.filter(({ isCertain }) => !isCertain).map(({ edit }) => edit)]
}

/** The periods in which the values of one edit certainly applied, because no other edit had begun and no edit was unanswered. */
function windowsOf(history: readonly Operation[], host: string) {
  const sets = history.filter(isOf('allocate')).filter(({ call, outcome }) => call.host === host && outcome.type === 'ok')
  return sets.flatMap(({ call: { resourceClass, ratio, reserved }, endedAt: from, invokedAt, outcome }) => {
    if (outcome.type !== 'ok' || outcome.answer.type !== 'done') return []
    const others = editsOf(history, host, resourceClass).filter((other) => other.edit.ratio !== ratio || other.edit.reserved !== reserved)
    if (others.some((other) => !other.isCertain && other.invokedAt < from)) return []
    const next = others.filter((other) => other.endedAt > invokedAt).map((other) => other.invokedAt)
    return [{ resourceClass, ratio, reserved, from, to: Math.min(Number.POSITIVE_INFINITY, ...next) }]
  })
}
