import { restated } from '../../../contracts/restated.ts'
import { imagePropertiesRead } from '../../../filters/image-properties.ts'
import { keysOfProperty } from '../../../text/legacy-image-properties.ts'
import { withImageTrait, withoutExtraSpecs } from '../change-request.ts'
import type { ProposedChange, Refusal, Remedy } from './remedy.ts'
import { asked, eachOf, type Wish } from './wishes.ts'

const AGGREGATE_SCOPE = 'aggregate_instance_extra_specs:'
const CAPABILITY_SCOPE = 'capabilities:'

/**
 * For hosts without a property that the flavor or the image requires: proposes to drop the requirement, or to add the property to an
 * aggregate of the host.
 */
export const specsRemedy: Remedy = {
  name: 'specs',
  codes: [
    'trait.missing',
    'trait.forbidden',
    'aggregate.extra_spec',
    'capability.missing',
    'capability.mismatch',
    'trust.level',
    'image.unsupported',
    'image.version',
    'aggregate.image_property',
  ],
  propose(refusal) {
    const { request, reason } = refusal
    const subject = reason.subject ?? ''
    switch (reason.code) {
      case 'trait.missing':
      case 'trait.forbidden': {
        const trait = String((reason.code === 'trait.missing' ? reason.need : reason.have) ?? '')
        const word = reason.code === 'trait.missing' ? 'required' : 'forbidden'
        return [asked(`trait ${trait}`, word, 'not asked', 3, (one) => withoutTrait(one, trait, word))]
      }
      case 'aggregate.extra_spec':
        return [
          ...withoutSpecs(refusal, (key) => key === subject || key === `${AGGREGATE_SCOPE}${subject}`, subject),
          ...carriedByAggregate(refusal, subject),
        ]
      case 'capability.missing':
      case 'capability.mismatch':
        return withoutSpecs(refusal, (key) => key === subject || key === `${CAPABILITY_SCOPE}${subject}`, subject)
      case 'trust.level':
        return withoutSpecs(refusal, (key) => key.startsWith('trust:'), 'trust')
      default: {
        const wishes = imageWishes(
          request,
          reason.code === 'aggregate.image_property' ? keysOfProperty(request.image?.properties ?? {}, subject) : imagePropertiesRead,
        )
        const name = (path: string) => (path === ARCHITECTURE ? 'architecture' : path.slice(PROPERTIES.length))
        return eachOf(wishes, (paths) => ({ subject: `image ${[...new Set(paths.map(name))].join(', ')}`, to: 'not asked' }), 4)
      }
    }
  },
}

const ARCHITECTURE = 'image.architecture'
const PROPERTIES = 'image.properties.'

/** The requirements of the image that can be dropped separately: the architecture and the properties with these keys. */
export function imageWishes({ image }: Refusal['request'], keys: readonly string[]): Wish[] {
  if (image === null) return []
  const withImage = (one: Refusal['request'], parts: Partial<typeof image>) =>
    restated(one, { image: one.image && { ...one.image, ...parts } })
  return [
    ...(image.architecture === null
      ? []
      : [{ path: ARCHITECTURE, said: image.architecture, without: (one: Refusal['request']) => withImage(one, { architecture: null }) }]),
    ...keys
      .filter((key) => Object.hasOwn(image.properties, key))
      .map((key) => ({
        path: `${PROPERTIES}${key}`,
        said: image.properties[key] ?? '',
        without: (one: Refusal['request']) => {
          const { [key]: _, ...properties } = one.image?.properties ?? {}
          return withImage(one, { properties })
        },
      })),
  ]
}

/** Proposes to drop the extra specs for whose keys `isUnwanted` is true. One extra spec can have several forms of its key. */
const withoutSpecs = ({ request, reason }: Refusal, isUnwanted: (key: string) => boolean, subject: string): ProposedChange[] =>
  eachOf(
    Object.keys(request.flavor.extraSpecs)
      .filter(isUnwanted)
      .map((key) => ({
        path: `flavor.extraSpecs.${key}`,
        said: String(reason.need ?? request.flavor.extraSpecs[key]),
        without: (one) => withoutExtraSpecs(one, (other) => other === key),
      })),
    () => ({ subject: `extra spec ${subject}`, to: 'not asked' }),
  )

/** The request without the requirement (or ban) of a trait, in all fields that can contain it. */
function withoutTrait(request: Refusal['request'], trait: string, word: 'required' | 'forbidden') {
  const others = (names: readonly string[]) => names.filter((name) => name !== trait)
  const { extraSpecs } = request.flavor
  const changed = restated(
    withoutExtraSpecs(request, (key) => key === `trait:${trait}` && (extraSpecs[key] === 'required') === (word === 'required')),
    {
      requestedResources: request.requestedResources.map((group) => ({
        ...group,
        ...(word === 'required' ? { requiredTraits: others(group.requiredTraits) } : { forbiddenTraits: others(group.forbiddenTraits) }),
      })),
    },
  )
  return word === 'required' ? withImageTrait(changed, trait, null) : changed
}

/**
 * Proposes to add metadata to an aggregate of the host. Proposed only if another aggregate already has the same key and value. Otherwise
 * the requirement is possibly misspelt, and metadata with a misspelt key or value would affect other requests.
 */
function carriedByAggregate({ fleet, host, reason }: Refusal, key: string): ProposedChange[] {
  const need = String(reason.need ?? '')
  const isSaid = [...fleet.aggregates.byUuid.values()].some(({ metadata }) => Object.hasOwn(metadata, key) && metadata[key] === need)
  const { host: name } = fleet.hosts.get(host)
  const own = fleet.aggregates.of(name).toSorted((a, b) => a.hosts.length - b.hosts.length)
  const aggregate = own.find(({ metadata }) => Object.hasOwn(metadata, key)) ?? own[0]
  if (aggregate === undefined || !isSaid || !/^[\w.-]+$/.test(need)) return []
  return [
    {
      kind: 'FLEET',
      subject: `aggregate ${aggregate.name}, ${key}`,
      from: Object.hasOwn(aggregate.metadata, key) ? (aggregate.metadata[key] ?? null) : null,
      to: need,
      effort: 4 + Math.min(2, aggregate.hosts.length / 1_000),
      lastResort: true,
      edits: {
        aggregateChanges: [{ aggregate: aggregate.uuid, addHosts: [], removeHosts: [], setMetadata: { [key]: need }, unsetMetadata: [] }],
      },
    },
  ]
}
