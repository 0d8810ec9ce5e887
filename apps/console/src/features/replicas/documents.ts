import { graphql } from '../../lib/graphql.ts'

/** Who follows the log, how far, and how the one that answers stands. */
export const STANDING = graphql(`
  query Replicas {
    replicas {
      id url version featureLevel mode reason live answers revision lagEvents lag violations checkedAt
      stateHash { revision hash } startedAt lastSeenAt stoppedAt
      lagHistory decisionsPerSecond proposals conflicts memoryBytes hosts { up suspect down }
    }
    health {
      replica mode reason code engine revision stateAge version featureLevel flushMs sharedFlush
      degraded { code message since }
    }
    auditor {
      violations checkedAt age round rounds looked comparisons agreedAt
      findings { code promise subject name host claim field expected actual since }
    }
    fleetLog { firstRevision firstAt bytes keptDays keptBytes rowsSetAside }
  }
`)
