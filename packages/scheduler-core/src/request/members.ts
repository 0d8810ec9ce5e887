import { memoByObject } from '../values/memo.ts'
import { demandOf, type RequestSpec } from './request-spec.ts'

/** The instances of a request that have the same demands. */
export interface Members {
  readonly name: string | null
  /** The index of the first of these instances among all instances of the request. */
  readonly first: number
  readonly count: number
  /** The request with the demands of one of these instances. */
  readonly request: RequestSpec
}

/** Groups the instances of a request by their demands, in order. Only a gang has more than one group. */
export const membersOf = memoByObject((request: RequestSpec): readonly Members[] => {
  if (request.gang.length === 0) return [{ name: null, first: 0, count: request.numInstances, request }]
  const others = request.gang.reduce((sum, { instances }) => sum + instances, 0)
  const own: Members = { name: null, first: 0, count: request.numInstances - others, request: { ...request, gang: [] } }
  let first = own.count
  return [
    own,
    ...request.gang.map(({ name, instances: count, ...asked }): Members => {
      const members = { name, first, count, request: { ...request, ...asked, gang: [] } }
      first += count
      return members
    }),
  ]
})

/** Returns the group that contains the instance with this index. For an index beyond the last instance, returns the last group. */
export function membersAt(request: RequestSpec, instance: number): Members {
  const kinds = membersOf(request)
  return kinds.findLast(({ first }) => instance >= first) ?? (kinds[0] as Members)
}

/** The request with the demands of the instance with this index. */
export const requestAt = (request: RequestSpec, instance: number): RequestSpec =>
  request.gang.length === 0 ? request : membersAt(request, instance).request

/** The total amount per resource class that the first `most` instances of a request need. By default, all instances are summed. */
export function sumsOf(whole: RequestSpec, most = whole.numInstances): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { request, count, first } of membersOf(whole))
    for (const [resourceClass, amount] of Object.entries(demandOf(request).amounts))
      sums.set(resourceClass, (sums.get(resourceClass) ?? 0) + amount * Math.max(0, Math.min(count, most - first)))
  return sums
}
