import { graphql } from '../../lib/service/graphql.ts'

/** All replicas with their revisions, and the state of the answering replica. */
export const REPLICA_STATES = graphql(`
  query Replicas {
    replicas {
      id url version featureLevel mode reason live answers revision lagEvents lag violations checkedAt
      stateHash { revision hash } startedAt lastSeenAt stoppedAt
      lagHistory decisionsPerSecond proposals conflicts memoryBytes hosts { up suspect down } plugins { name version }
    }
    health {
      replica mode reason code engine revision stateAge release version featureLevel flushMs sharedFlush
      degraded { code message since }
    }
    auditor {
      violations warnings notices checkedAt age round rounds looked comparisons agreedAt cleanSince cleanRounds cleanLooks counts { code count }
      findings { id code severity promise subject name host hostName node claim field expected actual since repair { text automatic options { name text asksSize asksOwner } } }
    }
    fleetLog { firstRevision firstAt bytes keptDays keptBytes rowsSetAside }
  }
`)

/** The changes that the repair of a finding would make, or made. */
export const REPAIR = graphql(`
  mutation RepairFinding($id: ID!, $reason: String!, $choose: String, $size: InstanceSizeInput, $project: String, $account: String, $dryRun: Boolean!) {
    findingRepair(id: $id, reason: $reason, choose: $choose, size: $size, project: $project, account: $account, dryRun: $dryRun) {
      __typename
      ... on FindingRepairPayload { fleetRevision differenceCount differences { subject name field before after } }
      ... on UserError { message }
    }
  }
`)
