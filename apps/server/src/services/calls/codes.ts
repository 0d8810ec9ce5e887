/**
 * Codes of problems in the arguments of a call. Codes for problems in a request, a report or a profile are defined in scheduler-core. A
 * code is never reused or renamed; docs/errors.md lists a remedy for each.
 */
export const callCodes = {
  'call.invalid': 'An argument is out of range.',
  'call.unsupported': 'This release does not support that kind of call.',
  'call.too_large': 'The input is longer, deeper or larger than allowed.',
  'call.granular_group': 'The request has granular resource groups, which this service does not support.',
  'call.unplain_name': 'A name contains invisible characters, or characters that change how the surrounding text is displayed.',
  'call.repeated': 'The same thing is named twice.',
  'moment.ahead': 'The requested revision or time has not been reached yet.',
  'moment.gone': 'The log no longer contains the requested revision or time.',
  'moment.before_log': 'The requested time is before the first entry of the log.',
  'append.refused': 'Other writers appended to the log first.',
  'key.bound': 'The key is bound to host names or to a project, and the call is outside of this restriction.',
  'key.max_nodes': 'The host has reached the limit of nodes that the key may report for it.',
  'host.unknown': 'No host with that name has reported.',
} as const

export type CallCode = keyof typeof callCodes
