import { restated } from '../../../../contracts/restated.ts'
import type { Fleet } from '../../../../fleet/fleet.ts'
import { classValue } from '../../../../hosts/classes/sparse-columns.ts'
import { bareAndOf } from '../../../../request/request-reads.ts'
import { demandOf, type RequestSpec } from '../../../../request/request-spec.ts'
import { createSpellings, type Spellings } from '../../../../text/near-spelling.ts'
import { withImageTrait } from '../../change-request.ts'
import type { ProposedChange, Refusal } from '../remedy.ts'
import { asked } from '../wishes.ts'
import { capabilityNames } from './capability-names.ts'
import { aggregateNames, supportedNames } from './image-names.ts'
import { metadataValues, misspeltBefore, type Name, withKey } from './name.ts'

/** At most this many pairs of an unknown name and a name in the fleet are compared for one refusal. This takes about 12 ms. */
const MAX_PAIRS = 20_000
/**
 * At most this many misspelt names of one kind are looked up. Each name can lead to three candidates, and the search must also have time
 * for other changes.
 */
const MAX_WORDS = 8

interface KnownNames {
  readonly there: Spellings
  /** For each unknown name, the similar names in the fleet. They are looked up once for all refused hosts. */
  readonly near: Map<string, readonly string[]>
}

const looked = new WeakMap<Fleet, { readonly revision: number; readonly byKind: Map<string, KnownNames> }>()

/** For each kind, the names in the fleet. Cached for one revision of the fleet, because many hosts are refused for the same name. */
function spellingsOf(fleet: Fleet): Map<string, KnownNames> {
  const { revision } = fleet.place
  const known = looked.get(fleet)
  if (known?.revision === revision) return known.byKind
  const byKind = new Map<string, KnownNames>()
  looked.set(fleet, { revision, byKind })
  return byKind
}

/**
 * Proposes to replace an unknown name in the request by a similar name in the fleet. The similar name can belong to a different host than
 * the refused host. If the fleet is large and many names are unknown, only the first unknown names are looked up.
 */
export function respelt(refusal: Refusal, work = { compared: 0 }): ProposedChange[] {
  const spellings = spellingsOf(refusal.fleet)
  const words = new Map<string, number>()
  let pairs = 0
  return namesIn(refusal).flatMap(({ kind, subject, word, known, misspeltBefore, others = [], rename }) => {
    const names = spellings.get(kind) ?? { there: createSpellings(known()), near: new Map<string, readonly string[]>() }
    spellings.set(kind, names)
    const { there, near } = names
    if (word === '' || there.has(word)) return []
    pairs += there.size
    const before = misspeltBefore?.(there) ?? words.get(kind) ?? 0
    words.set(kind, before + 1)
    if ((pairs > MAX_PAIRS && pairs > there.size) || before >= MAX_WORDS) return []
    if (!near.has(word)) work.compared += there.size
    const found = near.get(word) ?? there.near(word)
    near.set(word, found)
    return found
      .filter((name) => !others.includes(name))
      .map((name, i) => asked(subject, word, name, 1.1 + i / 10, (request) => rename(request, name)))
  })
}

function namesIn({ fleet, request, reason }: Refusal): readonly Name[] {
  const { hosts } = fleet
  const subject = reason.subject ?? ''
  switch (reason.code) {
    case 'zone.other': {
      const known = () => new Set(hosts.present.map(({ zone }) => zone))
      const rename = (one: RequestSpec, to: string) => restated(one, { availabilityZone: to })
      return [{ kind: 'zone', subject: 'availability zone', word: request.availabilityZone ?? '', known, rename }]
    }
    case 'trait.missing':
      return [traitName(fleet, request, String(reason.need ?? ''))]
    case 'aggregate.extra_spec':
      return extraSpecNames(fleet, request, subject, String(reason.need ?? ''))
    case 'capability.missing':
    case 'capability.mismatch':
      return capabilityNames(fleet, request, subject)
    case 'image.unsupported':
      return supportedNames(fleet, request)
    case 'aggregate.image_property':
      return aggregateNames(fleet, request, subject)
    case 'class.not_reported':
      return [className(fleet, request, subject)]
    case 'aggregate.flavor': {
      const rename = (one: RequestSpec, to: string) => restated(one, { flavor: { ...one.flavor, name: to } })
      return [
        { kind: 'flavor', subject: 'flavor', word: request.flavor.name ?? '', known: () => metadataValues(fleet, 'instance_type'), rename },
      ]
    }
    case 'gpu.model':
      return gpuModels(fleet, request)
    case 'host.not_requested':
    case 'host.none_common':
      return hostNames(fleet, request)
    case 'topology.no_domain':
      return topologyKeys(fleet, request)
    default:
      return []
  }
}

function traitName({ hosts }: Fleet, asking: RequestSpec, word: string): Name {
  const { requiredTraits, forbiddenTraits } = demandOf(asking)
  const key = `trait:${word}`
  const other = (to: string) => (trait: string) => (trait === word ? to : trait)
  return {
    ...{ kind: 'trait', subject: `trait ${word}`, word },
    misspeltBefore: (there) => misspeltBefore(requiredTraits, word, there),
    // each set of traits is read once, because hosts with equal traits share one set
    known: () => [...new Set(hosts.present.map(({ traits }) => traits))].flatMap((traits) => [...traits]),
    others: [...requiredTraits, ...forbiddenTraits],
    rename: (request, to) => {
      const changed = restated(request, {
        flavor: { ...request.flavor, extraSpecs: withKey(request.flavor.extraSpecs, key, `trait:${to}`) },
        requestedResources: request.requestedResources.map((group) => ({
          ...group,
          requiredTraits: group.requiredTraits.map(other(to)),
        })),
      })
      return withImageTrait(changed, word, to)
    },
  }
}

const AGGREGATE = 'aggregate_instance_extra_specs'
const AGGREGATE_SCOPE = `${AGGREGATE}:`

/** The name in an extra spec that is corrected: the key if no aggregate has this key, otherwise the value. */
function extraSpecNames(fleet: Fleet, { flavor: { extraSpecs } }: RequestSpec, key: string, value: string): Name[] {
  const keys = new Set([...fleet.aggregates.byUuid.values()].flatMap(({ metadata }) => Object.keys(metadata)))
  const withSpec = (to: string, given: RequestSpec['flavor']['extraSpecs']) =>
    withKey(withKey(given, key, to), `${AGGREGATE_SCOPE}${key}`, `${AGGREGATE_SCOPE}${to}`)
  if (!keys.has(key)) {
    const rename = (one: RequestSpec, to: string) => withSpecs(one, withSpec(to, one.flavor.extraSpecs))
    const others = Object.keys(extraSpecs).map((spec) => (spec.startsWith(AGGREGATE_SCOPE) ? spec.slice(AGGREGATE_SCOPE.length) : spec))
    return [
      {
        ...{ kind: 'key of an extra spec', subject: `key of extra spec ${key}`, word: key },
        ...{ known: () => keys, others, rename },
        misspeltBefore: (there) =>
          misspeltBefore(
            bareAndOf(AGGREGATE, extraSpecs).map(([spec]) => spec),
            key,
            there,
          ),
      },
    ]
  }
  const isIt = (spec: string): boolean => spec === key || spec === `${AGGREGATE_SCOPE}${key}`
  const rename = (one: RequestSpec, to: string) =>
    withSpecs(
      one,
      Object.fromEntries(Object.entries(one.flavor.extraSpecs).map(([spec, given]) => [spec, isIt(spec) && given === value ? to : given])),
    )
  const specs = bareAndOf(AGGREGATE, extraSpecs)
  const earlier = specs.slice(
    0,
    specs.findIndex(([spec]) => spec === key),
  )
  const isMisspelt = (spec: string, given: string): boolean => keys.has(spec) && !metadataValues(fleet, spec).includes(given)
  const misspelt = () => earlier.filter(([spec, given]) => isMisspelt(spec, given)).length
  return [
    {
      ...{ kind: `value of extra spec ${key}`, subject: `extra spec ${key}`, word: value },
      ...{ known: () => metadataValues(fleet, key), rename, misspeltBefore: misspelt },
    },
  ]
}

const withSpecs = (one: RequestSpec, extraSpecs: RequestSpec['flavor']['extraSpecs']): RequestSpec =>
  restated(one, { flavor: { ...one.flavor, extraSpecs } })

const reportedClasses = ({ hosts }: Fleet): readonly string[] =>
  [...hosts.classes].flatMap(([name, columns]) =>
    hosts.present.some(({ index }) => classValue(columns, 'reported', index) === 1) ? [name] : [],
  )

const className = (fleet: Fleet, asking: RequestSpec, word: string): Name => ({
  ...{ kind: 'resource class', subject: 'resource class', word },
  misspeltBefore: (there) => misspeltBefore(Object.keys(demandOf(asking).amounts), word, there),
  known: () => reportedClasses(fleet),
  // classes that the request already has are not proposed, because an extra spec would replace their amounts
  others: Object.keys(demandOf(asking).amounts),
  rename: (one, to) => withClass(one, word, to),
})

const withClass = (one: RequestSpec, word: string, to: string): RequestSpec =>
  restated(one, {
    flavor: { ...one.flavor, extraSpecs: withKey(one.flavor.extraSpecs, `resources:${word}`, `resources:${to}`) },
    requestedResources: one.requestedResources.map((group) => ({
      ...group,
      amounts: group.amounts.map((amount) => (amount.resourceClass === word ? { ...amount, resourceClass: to } : amount)),
    })),
  })

function gpuModels({ hosts }: Fleet, { gpus }: RequestSpec): Name[] {
  const known = () => new Set(hosts.present.flatMap((record) => record.gpus.flatMap(({ model }) => model ?? [])))
  return (gpus?.models ?? []).map((word) => ({
    ...{ kind: 'GPU model', subject: 'GPU model', word },
    known,
    others: gpus?.models ?? [],
    rename: (one, to) =>
      restated(one, { gpus: one.gpus && { ...one.gpus, models: one.gpus.models.map((model) => (model === word ? to : model)) } }),
  }))
}

function hostNames({ hosts }: Fleet, { forceHosts, forceNodes, requestedDestination }: RequestSpec): Name[] {
  const known = () => new Set(hosts.present.flatMap(({ host, node }) => [host, node]))
  const words = new Set([...forceHosts, ...forceNodes, requestedDestination?.host ?? '', requestedDestination?.node ?? ''])
  return [...words].map((word) => {
    const other = (to: string) => (name: string) => (name === word ? to : name)
    const orNull = (name: string | null, to: string) => (name === word ? to : name)
    return {
      ...{ kind: 'host', subject: 'host asked for', word },
      known,
      rename: (one, to) =>
        restated(one, {
          forceHosts: one.forceHosts.map(other(to)),
          forceNodes: one.forceNodes.map(other(to)),
          requestedDestination: one.requestedDestination && {
            ...one.requestedDestination,
            host: orNull(one.requestedDestination.host, to),
            node: orNull(one.requestedDestination.node, to),
          },
        }),
    }
  })
}

function topologyKeys({ aggregates }: Fleet, { topologySpread }: RequestSpec): Name[] {
  const known = () => new Set(['host', 'zone', ...[...aggregates.byUuid.values()].flatMap(({ metadata }) => Object.keys(metadata))])
  return topologySpread.map(({ topologyKey: word }) => ({
    ...{ kind: 'key of a spread', subject: `spread over ${word}`, word },
    known,
    others: topologySpread.map(({ topologyKey }) => topologyKey),
    rename: (one, to) =>
      restated(one, {
        topologySpread: one.topologySpread.map((spread) => (spread.topologyKey === word ? { ...spread, topologyKey: to } : spread)),
      }),
  }))
}
