import { isLiveState, type Operation } from '../history.ts'
import { placedOf } from './check-history.ts'
import { isOf, lifetimesOf, type Of } from './lifetimes.ts'
import type { Rule } from './rule.ts'

/** Promises of the service about hosts that leave, return and get other names. */
export const leavingChecks: readonly Rule[] = [
  {
    name: 'nothing is placed on a host that was forgotten',
    violations: ({ history }) => {
      const begun = new Map<string, number>()
      for (const { call, invokedAt } of history.filter(isOf('place')))
        begun.set(call.key, Math.min(begun.get(call.key) ?? invokedAt, invokedAt))
      const first = placedOf(history.filter(isOf('place'))).filter(({ answer }) => !answer.replayed)
      return absencesOf(history).flatMap(({ host, from, to }) =>
        first
          .filter(({ operation }) => (begun.get(operation.call.key) as number) > from && operation.endedAt < to)
          .flatMap(({ answer }) => answer.claims.filter((claim) => claim.host === host))
          .map(({ id }) => `claim ${id} was placed on ${host} while it was forgotten`),
      )
    },
  },
  {
    name: 'reports of a forgotten host are refused',
    violations: ({ history }) =>
      absencesOf(history).flatMap(({ host, from, to }) =>
        history
          .filter(isOf('report'))
          .filter(({ call, invokedAt, endedAt }) => call.host === host && invokedAt > from && endedAt < to)
          .filter(({ outcome }) => outcome.type === 'ok' && outcome.answer.type === 'done')
          .map(() => `a report of ${host} was accepted while it was forgotten`),
      ),
  },
  {
    name: 'a host that has claims is not forgotten without force',
    violations: ({ history }) => {
      const lives = lifetimesOf(history)
      return doneOf(history, 'forget').flatMap(({ call: { host }, invokedAt, endedAt }) =>
        lives
          .filter(({ claim, from, to }) => claim.host === host && from < invokedAt && to > endedAt)
          .map(({ claim }) => `${host} was forgotten, and had claim ${claim.id}`),
      )
    },
  },
  {
    name: 'the claims of a host end when it is forgotten by force',
    violations: ({ history, finals }) => {
      const forced = doneOf(history, 'force')
      const gone = lifetimesOf(history).filter(({ claim, from }) =>
        forced.some(({ call, invokedAt }) => call.host === claim.host && from < invokedAt),
      )
      return finals.flatMap(({ claims, replica }) => {
        const live = new Set(claims.filter(({ state }) => isLiveState(state)).map(({ id }) => id))
        return gone
          .filter(({ claim }) => live.has(claim.id))
          .map(({ claim }) => `claim ${claim.id} lives; its host ${claim.host} was forgotten by force (replica ${replica})`)
      })
    },
  },
  {
    name: 'a host has the name of its last replacement',
    violations: ({ history, finals }) => {
      const names = new Map(doneOf(history, 'replace').map(({ call }) => [call.host, call.by]))
      return finals.flatMap(({ hosts, replica }) =>
        hosts.flatMap(({ name, called = name }) => {
          const last = names.get(name) ?? name
          return called === last ? [] : [`${last} is called ${called} (replica ${replica})`]
        }),
      )
    },
  },
]

type Leaving = Of<'leave'>

const leavesOf = (history: readonly Operation[]): Leaving[] => history.filter(isOf('leave'))

const isDone = ({ outcome }: Operation): boolean => outcome.type === 'ok' && outcome.answer.type === 'done'

const doneOf = (history: readonly Operation[], how: Leaving['call']['how']): Leaving[] =>
  leavesOf(history).filter((leave) => leave.call.how === how && isDone(leave))

/**
 * The periods in which hosts were certainly not in the fleet. A period begins when a caller gets the answer that the host was removed. It
 * ends when the next call that readmits the host is sent.
 */
function absencesOf(history: readonly Operation[]): { readonly host: string; readonly from: number; readonly to: number }[] {
  const leaves = leavesOf(history)
  return [...doneOf(history, 'forget'), ...doneOf(history, 'force')].map(({ call: { host }, endedAt }) => {
    // An unanswered call can take effect at any time.
    const readmissions = leaves.filter(
      ({ call, outcome, endedAt: end }) => call.host === host && call.how === 'readmit' && (end > endedAt || outcome.type === 'info'),
    )
    return { host, from: endedAt, to: Math.min(Number.POSITIVE_INFINITY, ...readmissions.map(({ invokedAt }) => invokedAt)) }
  })
}
