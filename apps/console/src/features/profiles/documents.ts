import { graphql, type ResultOf } from '../../lib/service/graphql.ts'

export const LIST = graphql(`
  query ProfileList($at: Moment) {
    profiles(at: $at) {
      name
      active { number note filters { name shadow } weighers { name } }
      versions(first: 1) { totalCount }
      rollout { mode percent candidate { number } sampled agreement newFailures }
    }
  }
`)

/** The plug-ins that the answering replica has loaded. */
export const PLUGINS = graphql(`
  query Plugins {
    plugins {
      name version description mode from failureCount
      lastFailure { part message at }
      parts { kind name description unit reads parameters }
    }
  }
`)

/** A profile with the states of its versions. The content of a version is requested separately. */
export const PROFILE = graphql(`
  query Profile($name: String!, $at: Moment) {
    viewer { scopes }
    profile(name: $name, at: $at) {
      name
      active { number }
      latest { id number }
      versions(first: 500) { totalCount nodes { id number state note filters { shadow } } }
      rollout {
        mode percent since sampled agreement newFailures newPlacements skipped notSolved
        candidate { number }
      }
    }
  }
`)

/** The findings of all replicas about a rollout: counts over time, and decisions with different results. */
export const ROLLOUT = graphql(`
  query ProfileRollout($name: String!, $at: Moment) {
    profile(name: $name, at: $at) {
      rollout {
        mode since
        overTime(most: 60) { at until sampled agreed elsewhere newFailures newPlacements agreement skipped notSolved }
        disagreements(first: 100) {
          kind because instance
          baselineChoice { hostName rank because }
          candidateChoice { hostName rank because }
          decision { id at profile { number } spec { flavorName vcpus memoryMb } }
        }
      }
    }
  }
`)

/** The content of a version, and its changes. */
export const VERSION = graphql(`
  query ProfileVersion($id: ID!) {
    node(id: $id) {
      __typename
      ... on ProfileVersion {
        profileName number note state scheduler schedulerName hostSubsetSize normalisation tieOrder compat collects assignment
        nova {
          maxAttempts packing shuffleBest
          placement { availabilityZone defaultAvailabilityZone limitTenants tenantsNeedAggregate isolateAggregates imageType }
        }
        solver { timeLimitMs nodeLimit gap candidates }
        filters { name order shadow options description }
        weighers { name multiplier options description }
        diff { field before after }
      }
    }
  }
`)

/** The history of versions and rollouts. Only keys with the scope OPERATE may read it. */
export const HISTORY = graphql(`
  query ProfileHistory($query: String!) {
    auditLog(first: 100, query: $query) { nodes { id at account mutation target result summary } }
  }
`)

/** The effect of a rollout step. The step was made, or only previewed. */
const stepEnd = graphql(`
  fragment StepEnd on ProfileResult {
    ... on ProfilePayload {
      version { number state }
      profile { standing active { number } rollout { mode percent candidate { number } } }
    }
    ... on ValidationError { issues { path message } }
    ... on UserError { code message }
  }
`)

export const ACTIVATE = graphql(
  `
  mutation ProfileActivate($version: ID!, $rollout: RolloutInput, $dryRun: Boolean!, $ifStanding: String) {
    profileActivate(version: $version, rollout: $rollout, dryRun: $dryRun, ifStanding: $ifStanding) {
      __typename
      ...StepEnd
    }
  }
`,
  [stepEnd],
)

export const ROLL_BACK = graphql(
  `
  mutation ProfileRollback($profile: String!, $reason: String!, $dryRun: Boolean!, $ifStanding: String) {
    profileRollback(profile: $profile, reason: $reason, dryRun: $dryRun, ifStanding: $ifStanding) {
      __typename
      ...StepEnd
    }
  }
`,
  [stepEnd],
)

/** The filters, weighers and schedulers that a profile can name, with their own descriptions. */
export const PARTS = graphql(`
  query ProfileParts($compat: ProfileCompat) {
    profileParts(compat: $compat) { kind name description parameters takesOptions mayShadow unit plugin { name } }
  }
`)

/** Writes the next version. A dry run only checks it. */
export const WRITE = graphql(`
  mutation ProfileWrite($profile: String!, $input: ProfileVersionInput!, $ifLatest: Int!, $dryRun: Boolean!) {
    profileVersionCreate(profile: $profile, input: $input, ifLatest: $ifLatest, dryRun: $dryRun) {
      __typename
      ... on ProfilePayload { dryRun version { number state } }
      ... on ValidationError { issues { path message } }
      ... on UserError { code message }
    }
  }
`)

/** Decides requests of the last hours again with two versions. Nothing is claimed. */
export const CHECK = graphql(`
  query ProfileCheck($baseline: ID!, $candidate: ProfileCandidateInput!, $window: Duration!, $sample: Int!) {
    compareProfiles(baseline: $baseline, candidate: $candidate, window: $window, sample: $sample, deadline: "PT25S") {
      since until total sampled agreement elsewhere newFailures newPlacements cpuRatio p99DeltaMs text
      leftOut { notDrawn beyondRetention outOfTime notReplayable notSolved unreadable }
      zones { zone baseline candidate resources { resourceClass baseline candidate } }
      shadowFilters { filter wouldFail wouldMove notSolved failing { because decision { id at spec { flavorName vcpus memoryMb } } } }
      disagreements(first: 200) {
        kind baselineHosts candidateHosts because
        decision { id at spec { flavorName numInstances vcpus memoryMb } }
      }
    }
  }
`)

/** The results of a rollout so far. */
export type FollowedRollout = NonNullable<NonNullable<ResultOf<typeof ROLLOUT>['profile']>['rollout']>
