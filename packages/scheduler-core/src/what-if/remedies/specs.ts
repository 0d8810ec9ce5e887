import { restated, withoutExtraSpecs } from '../change-request.ts'
import type { ProposedChange, Refusal, Remedy } from './remedy.ts'
import { asked } from './wishes.ts'

const AGGREGATE_SCOPE = 'aggregate_instance_extra_specs:'
const CAPABILITY_SCOPE = 'capabilities:'

/** The flavor or the image asks for a property that the host does not have: ask without it, or let an aggregate carry it. */
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
        return [asked(`trait ${trait}`, word, 'not asked', 3, (one) => withoutTrait(one, trait))]
      }
      case 'aggregate.extra_spec':
        return [
          withoutSpec(refusal, (key) => key === subject || key === `${AGGREGATE_SCOPE}${subject}`, subject),
          ...carriedByAggregate(refusal, subject),
        ]
      case 'capability.missing':
      case 'capability.mismatch':
        return [withoutSpec(refusal, (key) => key === subject || key === `${CAPABILITY_SCOPE}${subject}`, subject)]
      case 'trust.level':
        return [withoutSpec(refusal, (key) => key.startsWith('trust:'), 'trust')]
      default:
        return request.image === null
          ? []
          : [
              asked('image properties', String(reason.need ?? ''), 'not asked', 4, (one) =>
                restated(one, { image: one.image && { ...one.image, architecture: null, properties: {} } }),
              ),
            ]
    }
  },
}

const withoutSpec = ({ reason }: Refusal, isUnwanted: (key: string) => boolean, subject: string): ProposedChange =>
  asked(`extra spec ${subject}`, String(reason.need ?? ''), 'not asked', 3, (one) => withoutExtraSpecs(one, isUnwanted))

function withoutTrait(request: Parameters<typeof restated>[0], trait: string) {
  const { requestedResources } = withoutExtraSpecs(request, (key) => key === `trait:${trait}`)
  const others = (names: readonly string[]) => names.filter((name) => name !== trait)
  return restated(
    withoutExtraSpecs(request, (key) => key === `trait:${trait}`),
    {
      requestedResources: requestedResources.map((group) => ({
        ...group,
        requiredTraits: others(group.requiredTraits),
        forbiddenTraits: others(group.forbiddenTraits),
      })),
    },
  )
}

/** Only what another aggregate says in the same words: else it may be misspelt, and what an aggregate says other requests ask for too. */
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
