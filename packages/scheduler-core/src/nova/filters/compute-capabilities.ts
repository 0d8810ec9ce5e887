import { statsFields } from '../../fleet/stats-fields.ts'
import { bareAndOf, bareOrOf } from '../../request/request-reads.ts'
import { shortList } from '../../short-list.ts'
import { attributeOf, type HostValue, hasAttribute, hostText, NovaObject, statOf } from '../host-attributes.ts'
import type { HostState } from '../host-state.ts'
import { NovaError } from '../nova-error.ts'
import { checkEach, novaFilter } from '../nova-filter.ts'
import { match } from '../text/extra-spec-match.ts'
import { parsePythonJson } from '../text/python-json.ts'

const SCOPE = 'capabilities'

/**
 * What the flavor's extra specs ask of the host holds: `capabilities:` and a path into what the host says of itself, or
 * a bare name that the host knows. Bare names that it does not know, and other scopes, are for somebody else.
 */
export const computeCapabilitiesFilter = novaFilter({
  name: 'ComputeCapabilitiesFilter',
  description: "The host has the capabilities that the flavor's extra specs ask for.",
  admits: {
    by: 'property',
    which: ({ flavor: { extraSpecs } }) => `with ${shortList(bareAndOf(SCOPE, extraSpecs).map((pair) => wordsOf(extraSpecs, ...pair)))}`,
  },
  reads: statsFields,
  readsRequest: { extraSpecs: bareOrOf(SCOPE) },
  oncePerRequest: true,
  prepare({ flavor: { extraSpecs } }) {
    const asked = Object.entries(extraSpecs ?? {}).flatMap(([key, need]) => {
      const path = key.split(':')
      if (path.length === 1) return { key, path, need, isBare: true }
      return path[0] === SCOPE ? { key, path: path.slice(1), need, isBare: false } : []
    })
    if (asked.length === 0) return undefined
    return checkEach(
      asked.map(({ key, path, need, isBare }) => ({
        which: `with ${wordsOf(extraSpecs ?? {}, path.join(':'), need)}`,
        check(host) {
          if (isBare && !hasAttribute(key) && statOf(host, key) === null) return undefined
          const capability = capabilityOf(host, path)
          const facts = { subject: path.join(':') || 'the empty name', need, source: `extra spec ${key}` }
          if (capability === null) return { code: 'capability.missing', have: 'nothing', ...facts }
          const have = hostText(capability)
          return match(have, need) ? undefined : { code: 'capability.mismatch', have, ...facts }
        },
      })),
    )
  },
})

/** A bare name that is no attribute of every host is asked of those hosts alone that report it. */
const wordsOf = (extraSpecs: Readonly<Record<string, string>>, key: string, value: string): string =>
  Object.hasOwn(extraSpecs, key) && !hasAttribute(key) ? `${key} ${value} where they report ${key}` : `${key} ${value}`

/** What a host says of itself that neither names it nor tells of its room: many hosts say the same. */
const GENERAL: ReadonlySet<string> = new Set(['hypervisor_type', 'hypervisor_version', 'cpu_info', 'supported_instances'])

/** What Nova's hosts count of their instances: beside the attributes, and also project by project. */
const COUNTS = /^(num_|io_workload$)/

/** Whether an extra spec, asked of this filter, can single a host out or measure what is left on it. */
export function singlesHostOut(extraSpec: string): boolean {
  const path = extraSpec.split(':')
  if (path.length === 1) return (hasAttribute(extraSpec) && !GENERAL.has(extraSpec)) || COUNTS.test(extraSpec)
  return path[0] === SCOPE && !GENERAL.has(path[1] ?? '')
}

/** What is at the end of the path, starting at the host; null where it leads nowhere. */
function capabilityOf(host: HostState, [name = '', ...steps]: readonly string[]): HostValue {
  let value = attributeOf(host, name) ?? statOf(host, name)
  for (const step of steps) value = stepInto(value, step)
  return value
}

/** Text is JSON of something to step into. */
function stepInto(value: HostValue, step: string): HostValue {
  const target = typeof value === 'string' ? parsed(value) : value
  if (target instanceof Map) return target.get(step) ?? null
  return target instanceof NovaObject ? (target.attributes.get(step) ?? null) : null
}

function parsed(text: string): HostValue {
  try {
    return parsePythonJson(text)
  } catch (error) {
    if (error instanceof NovaError) return null
    throw error
  }
}
