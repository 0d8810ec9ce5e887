import { graphql } from '../../lib/service/graphql.ts'

/** A page of the list of decisions, newest first. */
export const LIST = graphql(`
  query DecisionList($q: String, $after: String) {
    decisions(first: 50, after: $after, query: $q) {
      nodes {
        id at outcome attempt durationMs account hostCount fleetRevision instanceUuids requestIds
        funnel { filter entered passed }
        spec { flavorName numInstances vcpus memoryMb availabilityZone projectId }
        profile { profileName number }
        cause { text }
        destinations { selected { host { name node hasOtherNodes } } }
      }
      unreadable { id at message }
      pageInfo { endCursor hasNextPage }
    }
  }
`)

/** The counts of decisions over time. */
export const COUNTS = graphql(`
  query DecisionCounts($q: String) {
    decisionCounts(query: $q) {
      since until decisions isCut
      steps(most: 90) { at until decisions placed partial noValidHost }
    }
  }
`)

/** Groups the decisions by one property, such as the flavor. The largest group comes first. */
export const GROUPS = graphql(`
  query DecisionGroups($q: String, $by: DecisionGrouping!) {
    decisionCounts(query: $q) {
      decisions isCut
      groups(by: $by, first: 100) { totalCount nodes { key decisions failed lastAt terms } }
    }
  }
`)

export const TAIL = graphql(`
  subscription DecisionTail($q: String, $after: Revision) {
    decisions(query: $q, after: $after, samplePerSecond: 20) {
      revision suppressed
      gap { missedFrom resumeAt }
      decision { id }
    }
  }
`)

/** The parts of a decision's page that are shown at once, because they need no replay. */
export const DECISION = graphql(`
  query Decision($id: ID!) {
    decision(id: $id) {
      funnel { filter entered passed }
      id at outcome attempt durationMs account seed fleetRevision coreVersion hostCount instanceUuids requestIds ignoredFields unlocatedFields
      explanationRetainedUntil replica
      receipt { inputs decided matrix }
      solver { status taken text objective filterObjective bound gap nodes columns rows candidates passing detail }
      reasons { code filter hosts text }
      cause { text }
      profile { profileName number }
      spec { id document flavorName numInstances vcpus memoryMb diskGb availabilityZone projectId }
      destinations {
        instanceUuid
        selected { weight host { name node hasOtherNodes } reportAge claim { id state expiresAt } }
        alternates { weight host { name node hasOtherNodes } reportAge }
      }
      lostTries { at hostNames text }
      previous {
        id at outcome cause { code } lostTries { at hostNames text } destinations { selected { host { name node hasOtherNodes } claim { state reason } } }
        previous {
          id at outcome cause { code } lostTries { at hostNames text } destinations { selected { host { name node hasOtherNodes } claim { state reason } } }
          previous {
            id at outcome cause { code } lostTries { at hostNames text } destinations { selected { host { name node hasOtherNodes } claim { state reason } } }
            previous { id }
          }
        }
      }
    }
  }
`)

/** The explanation for one host: every check with its amounts. */
export const WHY_NOT = graphql(`
  query WhyNot($id: ID!, $instance: Int, $host: String!, $node: String, $profile: String, $revision: Revision) {
    whyNot(input: { subject: { decisionId: $id }, instanceIndex: $instance, profile: $profile, at: $revision, host: { host: $host, node: $node } }) {
      headline outcome wouldPassNow
      verdict {
        hostName node rank totalWeight distance reportAge
        checks { filter status reason text facts { subject required actual shortfall unit source { kind ref } } }
        weights { weigher unit raw missing normalized multiplier multiplierSource weighted }
      }
      versusWinner { weigher unit host winner gap hostRaw winnerRaw hostMissing winnerMissing wouldFlipAt }
      nowRefusedBy { filter text }
      neverConsidered { kind text firstSeenAt firstSeenRevision }
      changedSince { field before after source { kind ref } }
      changedSinceNote
    }
  }
`)

/** The profiles with which a decision can be replayed. */
export const PROFILES = graphql(`
  query DecisionProfiles {
    profiles { name versions(first: 50) { nodes { number } } }
  }
`)

/** The present revision, for a replay on the present fleet. */
export const NOW = graphql(`
  query PresentRevision {
    health { revision }
  }
`)

/** The time range in which decisions can be replayed. */
export const KEPT = graphql(`
  query DecisionsKept {
    fleetLog { firstRevision keptDays }
  }
`)

/** The service checks that the record, the log and the replay of a decision agree. */
export const VERIFY = graphql(`
  query VerifyDecision($id: ID!) {
    verifyDecision(id: $id) { outcome checks { part outcome text } }
  }
`)

/** The parts of a decision that the request's project may see. */
export const FOR_PROJECT = graphql(`
  query ForProject($id: ID!) {
    decision(id: $id) { tenantExplanation { headline demands { text } } }
  }
`)

export const TICKET = graphql(`
  query Ticket($id: ID!, $instance: Int) {
    explainPlacement(input: { subject: { decisionId: $id }, instanceIndex: $instance }) { text(format: MARKDOWN) }
  }
`)
