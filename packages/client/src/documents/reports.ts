import { type Given, graphql, type ResultOf, type VariablesOf } from './graphql.ts'

/** Sends reports: reports of hosts about themselves, and documents of other services about hosts. */
export const updateResourceStats = graphql(`
  mutation UpdateResourceStats($input: UpdateResourceStatsInput!, $required: Boolean! = false) {
    updateResourceStats(input: $input) {
      appliedCount
      fleetRevision
      results {
        __typename
        ... on ResourceStatsApplied {
          revision
          lastSequence
          unchanged
          ignoredFields
          claimsMaterialised { id instanceUuid }
          required @include(if: $required) { namespaces { namespace omittable } }
        }
        ... on ResourceStatsNeedFull { code message path lastSequence }
        ... on ResourceStatsStale { code message path lastSequence }
        ... on ValidationError { code message path issues { path rule message expected actual } }
        ... on UserError { code message path }
      }
    }
  }
`)

export const hostHeartbeat = graphql(
  'mutation HostHeartbeat($hosts: [ResourceNameInput!]!) { hostHeartbeat(hosts: $hosts) { heard unknown } }',
)

type UpdateResourceStatsInput = Given<VariablesOf<typeof updateResourceStats>['input']>
/** A report about one host: a full report, a delta, a document of a namespace, or a report in Nova's form. */
export type ResourceStats = UpdateResourceStatsInput['updates'][number]
export type UpdateResourceStatsResult = ResultOf<typeof updateResourceStats>['updateResourceStats']
export type ResourceStatsResult = UpdateResourceStatsResult['results'][number]
export type FullStats = Extract<ResourceStats['report'], { readonly full: unknown }>['full']
export type StatsDelta = Omit<Extract<ResourceStats['report'], { readonly delta: unknown }>['delta'], 'baseSequence'>
export type ResourceName = ResourceStats['name']
export type HeartbeatResult = ResultOf<typeof hostHeartbeat>['hostHeartbeat']
