export { audit, type Looked } from './audit.ts'
export { compareFleets, compareNamed, compareWritten, type Difference } from './diff.ts'
export { DIGEST_FORMAT, digestAll, digestPart, HOSTS_PER_PART, partsOf } from './digest.ts'
export {
  type AuditCode,
  auditCodes,
  type Finding,
  isAuditCode,
  isStateFinding,
  promiseOf,
  rankOf,
  type Severity,
  type Subject,
  severities,
  severityOf,
} from './finding.ts'
export { DEFAULT_UNLISTED_AFTER_MS } from './listing.ts'
export { type InstanceSize, listingOf, type Repair, type RepairAction, type RepairOption, repairOf } from './repair.ts'
export { auditWorld } from './world.ts'
