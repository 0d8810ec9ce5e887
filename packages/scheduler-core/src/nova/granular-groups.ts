import { fieldsOf } from '../report/versioned-object.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { callerPath } from './import/caller-paths.ts'
import { readNovaRequest } from './objects/request.ts'

/** A key of a request that this service must refuse, because it asks for resources of one resource provider among several of a host. */
export interface GranularKey {
  /** The path as the caller wrote it. */
  readonly path: readonly string[]
  readonly found: unknown
  /** What the caller must change, as a phrase that follows "it must", such as "be left out". */
  readonly rule: string
  /** True if the key is about the host as a whole. This service refuses the key because its resource groups have no such condition. */
  readonly isOfHost?: true
}

/**
 * Extra specs and image properties that define granular resource groups in Nova. After `resources` or `trait`, the key has the name of the
 * group, as in `resources1:VCPU`.
 */
const GRANULAR = /^(?:(?:resources|trait)[\w-]{1,64}:|group_policy$|same_subtree(?:[\w-]{1,64})?$)/

/**
 * All keys of a request that define granular resource groups. A granular group takes its resources from one provider of a host. In this
 * service a host is a single provider, so such a group cannot be satisfied.
 */
export const granularKeysOf = (request: RequestSpec): readonly GranularKey[] =>
  request.nova === null ? typedKeys(request) : [...typedKeys(request, request.nova), ...documentKeys(request.nova)]

const LEFT_OUT = 'be left out'

function typedKeys({ image, gang, ...request }: RequestSpec, nova: RequestSpec['nova'] = null): GranularKey[] {
  const given = (path: readonly string[]) => (nova === null ? path : callerPath(nova, path))
  const guests = [{ at: [] as string[], ...request }, ...gang.map((member, i) => ({ at: ['gang', String(i)], ...member }))]
  const maps = [
    ...guests.map(({ at, flavor }) => ({ at: [...at, 'flavor', 'extraSpecs'], keys: flavor.extraSpecs })),
    ...(image === null || nova?.form === 'legacy' ? [] : [{ at: ['image', 'properties'], keys: image.properties }]),
  ]
  const groups = guests.flatMap(({ at, requestedResources }) =>
    requestedResources.map(({ suffix }, i) => ({ at: [...at, 'requestedResources', String(i), 'suffix'], suffix })),
  )
  return [
    ...maps.flatMap(({ at, keys }) => keysIn(keys).map(([key, found]) => ({ path: given([...at, key]), found, rule: LEFT_OUT }))),
    // For requests in Nova's form, documentKeys() checks the groups.
    ...(nova === null ? groups : []).flatMap(({ at, suffix }) => (suffix === '' ? [] : [{ path: at, found: suffix, rule: LEFT_OUT }])),
  ]
}

const keysIn = (keys: Readonly<Record<string, unknown>>) => Object.entries(keys).filter(([key]) => GRANULAR.test(key))

function documentKeys({ form, document }: NonNullable<RequestSpec['nova']>): GranularKey[] {
  if (form === 'legacy') {
    const properties = fieldsOf(fieldsOf(fieldsOf(document.request_spec).image).properties)
    return keysIn(properties).map(([key, found]) => ({ path: ['request_spec', 'image', 'properties', key], found, rule: LEFT_OUT }))
  }
  const { requestedResources, requestLevelParams } = readNovaRequest(document).request
  const groups = (requestedResources ?? []).flatMap(({ requesterId, useSameProvider, ...asked }, i): GranularKey[] => {
    const at = ['requested_resources', String(i)]
    const { resources, requiredTraits, forbiddenTraits, aggregates } = asked
    const isEmpty = Object.keys(resources).length + requiredTraits.length + forbiddenTraits.length + aggregates.length === 0
    if (isEmpty || (useSameProvider === false && !requesterId)) return []
    if (useSameProvider === false) return [{ path: [...at, 'requester_id'], found: requesterId, rule: 'be null' }]
    if (useSameProvider === true) return [{ path: [...at, 'use_same_provider'], found: true, rule: 'be false' }]
    return [{ path: at, found: 'one of a single provider', rule: 'have use_same_provider false' }]
  })
  const subtrees = requestLevelParams?.sameSubtree ?? []
  return [
    ...groups,
    ...hostKeys(document),
    ...(subtrees.length === 0 ? [] : [{ path: ['request_level_params', 'same_subtree'], found: subtrees, rule: 'be an empty list' }]),
  ]
}

/** Keys of resource groups about the host as a whole, which this service does not support: `in_tree` and `forbidden_aggregates`. */
function hostKeys(document: unknown): GranularKey[] {
  const given = fieldsOf(document).requested_resources
  const inList = ['requested_resources', ...(Array.isArray(given) ? [] : ['objects'])]
  const list: unknown = Array.isArray(given) ? given : fieldsOf(given).objects
  return (Array.isArray(list) ? list : []).flatMap((group: unknown, i) => {
    const { in_tree, forbidden_aggregates } = fieldsOf(group)
    const key = (field: string, found: unknown, rule: string): GranularKey => ({
      path: [...inList, String(i), field],
      found,
      rule,
      isOfHost: true,
    })
    return [
      ...(isNothing(in_tree)
        ? []
        : [key('in_tree', in_tree, 'be null: hosts are named by requested_destination, force_hosts and force_nodes')]),
      ...(isNothing(forbidden_aggregates)
        ? []
        : [
            key(
              'forbidden_aggregates',
              forbidden_aggregates,
              'be empty: forbidden aggregates belong in requested_destination.forbidden_aggregates',
            ),
          ]),
    ]
  })
}

const isNothing = (value: unknown): boolean => value === undefined || value === null || (Array.isArray(value) && value.length === 0)
