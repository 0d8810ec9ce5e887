import type { Plan } from './plan.ts'

/** Reduces a failing plan. Removes its parts one at a time, as long as the rest of the plan still fails. */
export function shrink(plan: Plan, fails: (plan: Plan) => boolean): Plan {
  let smallest = plan
  for (;;) {
    const smaller = [...simpler(smallest)].find(fails)
    if (smaller === undefined) return smallest
    smallest = smaller
  }
}

/** All plans with one part removed. */
function* simpler(plan: Plan): Generator<Plan> {
  const { hosts, aggregates, allocation, overrides, earlier, reports, leaves, profile, question } = plan
  for (const less of without(leaves)) yield { ...plan, leaves: less }
  for (const less of without(earlier)) yield { ...plan, earlier: less }
  for (const [position] of hosts.entries()) {
    const moved = <Of extends { readonly host: number }>(list: readonly Of[]): Of[] =>
      list.filter(({ host }) => host !== position).map((one) => ({ ...one, host: one.host > position ? one.host - 1 : one.host }))
    // `leaves` refers to hosts by index, so a host is removed only if its index is higher than every index in `leaves`.
    if (leaves.every(({ host }) => host < position))
      yield { ...plan, hosts: hosts.filter((_, i) => i !== position), reports: moved(reports), overrides: moved(overrides) }
  }
  for (const less of without(reports)) yield { ...plan, reports: less }
  for (const less of without(overrides)) yield { ...plan, overrides: less }
  if (allocation !== null) yield { ...plan, allocation: null }
  for (const less of without(aggregates)) yield { ...plan, aggregates: less }
  for (const less of without(profile.weighers)) yield { ...plan, profile: { ...profile, weighers: less } }
  for (const less of without(profile.filters)) yield { ...plan, profile: { ...profile, filters: less } }
  const { request } = question
  for (const key of Object.keys(request)) {
    if (key === 'flavor') continue
    yield {
      ...plan,
      question: { ...question, request: Object.fromEntries(Object.entries(request).filter(([name]) => name !== key)) as typeof request },
    }
  }
  const { extraSpecs = {} } = request.flavor
  for (const [key] of Object.entries(extraSpecs)) {
    const flavor = { ...request.flavor, extraSpecs: Object.fromEntries(Object.entries(extraSpecs).filter(([name]) => name !== key)) }
    yield { ...plan, question: { ...question, request: { ...request, flavor } } }
  }
}

const without = <T>(list: readonly T[]): T[][] => list.map((_, position) => list.filter((_, i) => i !== position))
