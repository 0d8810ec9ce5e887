export { audit, type Looked } from './audit.ts'
export { compareFleets, type Difference } from './diff.ts'
export { DIGEST_FORMAT, digestAll, digestPart, HOSTS_PER_PART, partsOf } from './digest.ts'
export { type AuditCode, auditCodes, type Finding, isOfState, promiseOf, type Subject } from './finding.ts'
