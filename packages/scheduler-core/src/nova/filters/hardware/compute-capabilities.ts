import { statsFields } from '../../../report/stats-fields.ts'
import { bareAndOf, keysFrom } from '../../../request/request-reads.ts'
import { shortList } from '../../../text/short-list.ts'
import { capabilityOf } from '../../parts/capabilities.ts'
import { hasAttribute, hostText, statOf } from '../../parts/host-attributes.ts'
import { checkEach, novaFilter } from '../../parts/nova-filter.ts'
import { match } from '../../text/extra-spec-match.ts'

const SCOPE = 'capabilities'
const isScoped = keysFrom(`${SCOPE}:`)

/**
 * Passes hosts that satisfy the flavor's extra specs. The key of an extra spec is either `capabilities:` with a path into the host's
 * attributes, or the name of an attribute without a scope. A name without a scope is ignored on hosts that do not have the attribute. Extra
 * specs with other scopes are ignored.
 */
export const computeCapabilitiesFilter = novaFilter({
  name: 'ComputeCapabilitiesFilter',
  description: "The host has the capabilities that the flavor's extra specs require.",
  admits: {
    by: 'property',
    which: ({ flavor: { extraSpecs } }) => `with ${shortList(bareAndOf(SCOPE, extraSpecs).map((pair) => wordsOf(extraSpecs, ...pair)))}`,
  },
  reads: statsFields,
  cachedBy: ['flavor'],
  readsRequest: {
    // An extra spec without a scope has no effect if its name is neither an attribute of hosts nor a statistic that a host reports. It then
    // counts as not read.
    extraSpecs: (key, _value, hosts) => isScoped(key) || hasAttribute(key) || (!key.includes(':') && hosts.reportsStat(key)),
  },
  canPassAgain: ({ flavor }) => Object.keys(flavor.extraSpecs).some(singlesHostOut),
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

/**
 * Describes an extra spec. If its name has no scope and is not an attribute that every host has, the text says that only hosts which report
 * the name are checked.
 */
const wordsOf = (extraSpecs: Readonly<Record<string, string>>, key: string, value: string): string =>
  Object.hasOwn(extraSpecs, key) && !hasAttribute(key) ? `${key} ${value} where they report ${key}` : `${key} ${value}`

/** Attributes for which many hosts have the same value. They do not identify a host or describe its free resources. */
const GENERAL: ReadonlySet<string> = new Set(['hypervisor_type', 'hypervisor_version', 'cpu_info', 'supported_instances'])

/** Names of statistics in which Nova counts the instances of a host, in total and by project. */
const COUNTS = /^(num_|io_workload$)/

/** Returns true if an extra spec of this filter can identify a single host or depends on free resources. */
export function singlesHostOut(extraSpec: string): boolean {
  const path = extraSpec.split(':')
  if (path.length === 1) return (hasAttribute(extraSpec) && !GENERAL.has(extraSpec)) || COUNTS.test(extraSpec)
  return path[0] === SCOPE && !GENERAL.has(path[1] ?? '')
}
