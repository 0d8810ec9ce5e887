const IMPACT = 'impact { claimCount claims { id state } aggregates serverGroups }'
const ENDS = `__typename ... on NotFound { key }
  ... on ValidationError { issues { path rule } } ... on UserError { code message path }`
export const FORGET = `mutation ($hosts: [ResourceNameInput!]!, $force: Boolean, $expectedClaims: Int, $dryRun: Boolean) {
  hostForget(hosts: $hosts, force: $force, expectedClaims: $expectedClaims, reason: "scrapped", dryRun: $dryRun) {
    ... on HostForgetPayload { hosts { name gone { reason readmitted } } ${IMPACT} unchanged dryRun fleetRevision } ... on HostHasClaims { claimCount claims { id } } ${ENDS} } }`
export const READMIT = `mutation ($host: ResourceNameInput!) { hostReadmit(host: $host, reason: "repaired") {
  ... on HostReadmitPayload { hosts { name } unchanged } ${ENDS} } }`
export const REPLACE = `mutation ($host: ResourceNameInput!, $by: ResourceNameInput!, $dryRun: Boolean) {
  hostReplace(host: $host, by: $by, reason: "renamed", dryRun: $dryRun) {
    ... on HostReplacePayload { hosts { name formerNames } merged { name } ${IMPACT} unchanged dryRun } ... on HostHasClaims { claimCount claims { id } } ${ENDS} } }`
export const REPORT = `mutation ($updates: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $updates }) { results { __typename
  ... on ResourceStatsApplied { claimsMaterialised { id } } ... on ValidationError { code issues { path rule message } } ... on UserError { message } } } }`
