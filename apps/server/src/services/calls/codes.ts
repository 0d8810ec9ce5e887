/**
 * Codes of problems in the arguments of a call. Codes for problems in a request, a report or a profile are defined in scheduler-core. A
 * code is never reused or renamed; docs/errors.md lists a remedy for each.
 */
export const callCodes = {
  'call.invalid': 'An argument is out of its range.',
  'call.unsupported': 'This release does not know that kind of call yet.',
  'call.too_large': 'The input is longer, deeper or larger than allowed.',
  'call.granular_group': 'A request asks for groups of resources, each of one provider.',
  'call.unplain_name': 'A name has characters that are not seen, or that change how the text around them is seen.',
  'call.repeated': 'The same thing is named twice.',
  'moment.ahead': 'The moment has not come yet.',
  'moment.gone': 'The moment is older than what the log keeps.',
  'moment.before_log': 'The moment is before the first entry of the log.',
  'append.refused': 'Others wrote to the log first.',
  'key.bound': 'The key is bound to host names or to a project, and this is outside of it.',
  'key.max_nodes': 'The host has as many nodes as the key may report for it.',
  'host.unknown': 'No host of that name has reported.',
} as const

export type CallCode = keyof typeof callCodes
