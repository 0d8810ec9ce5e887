import { describe, expect, test } from 'vitest'
import { openOverlay } from '../../fleet/overlay.ts'
import { profileSchema } from '../../records/profile.ts'
import { parseRequestSpec } from '../../request/parse.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { decide } from '../../schedulers/decide.ts'
import { aLog, aReport, aRequest, aUuid } from '../../testing/index.ts'
import { novaFilters } from '../filters/index.ts'
import { importNovaRequest } from '../import/request.ts'
import type { NovaRequest } from '../objects/request.ts'
import { aHostState, aNovaRequest, wireObject } from '../testing/builders.ts'
import { NovaError } from '../text/nova-error.ts'
import { novaWeighers } from '../weighers/index.ts'

/** Whether a request is a rebuild determines if a filter applies to it. This is not a part of a verdict. */
const ALWAYS_READ = ['schedulerHints']

const requests: readonly NovaRequest[] = [
  aNovaRequest({}),
  aNovaRequest({
    availabilityZone: 'z1',
    projectId: 'p1',
    numaTopology: {
      cells: [
        {
          ...{ id: 0, cpuset: [0], pcpuset: [], memory: 1_024, pagesize: null, cpuPolicy: null, cpuThreadPolicy: null },
          ...{ cpuPinning: null, cpusetReserved: null },
        },
      ],
      emulatorThreadsPolicy: null,
    },
    pciRequests: [{ count: 1, spec: [{ vendor_id: 'v' }], numaPolicy: 'required', alias: null }],
    schedulerHints: { same_host: ['i1'], different_host: ['i2'], build_near_host_ip: ['10.0.0.1'], cidr: ['/16'] },
  }),
]

/** The fields of the request that `use` reads. */
function fieldsReadBy(request: NovaRequest, use: (request: NovaRequest) => void): ReadonlySet<string> {
  const read = new Set<string>()
  const watched = new Proxy(request, {
    get(target, field) {
      read.add(String(field))
      return Reflect.get(target, field)
    },
  })
  try {
    use(watched)
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
  }
  return read
}

describe.each([...novaFilters, ...novaWeighers].filter(({ cachedBy }) => cachedBy !== undefined))('$name', (part) => {
  test('reads only the fields of a request by which its results are cached', () => {
    const allowed = [...(part.cachedBy ?? []), ...ALWAYS_READ]
    const options = part.options.parse({})
    for (const request of requests) {
      const read = fieldsReadBy(request, (watched) => {
        const judge = 'multiplier' in part ? part.prepare(watched, options, () => 1, 1) : part.prepare(watched, options, { now: 0 })
        judge?.(aHostState({}))
        if (judge !== undefined && 'limits' in judge) judge.limits?.(aHostState({}))
      })
      expect([...read].filter((field) => !allowed.includes(field))).toEqual([])
    }
  })
})

function withDistribution(name: unknown): RequestSpec {
  const imported = importNovaRequest(
    wireObject('RequestSpec', '1.14', {
      flavor: wireObject('Flavor', '1.2', { vcpus: 1, memory_mb: 64 }),
      image: wireObject('ImageMeta', '1.8', { properties: wireObject('ImageMetaProps', '1.31', { os_distro: name }) }),
    }),
  )
  const parsed = imported.ok ? parseRequestSpec(imported.document) : imported
  if (!('value' in parsed)) throw new Error(JSON.stringify(parsed))
  return parsed.value
}

const withSpecs = (...extraSpecs: readonly (readonly [string, string])[]): RequestSpec =>
  aRequest({ flavor: { vcpus: 1, memoryMb: 64, extraSpecs: Object.fromEntries(extraSpecs) } })

// The host's aggregate requires the distribution {'a': 1} and has no key `other`. Nova raises an exception if it compares `ssd` with a number.
const METADATA = { os_distro: "{'a': 1}", ssd: 'x' }
const [other, ssd] = [['other', 'x'] as const, ['ssd', '>= 1'] as const]

test.each<[string, string, RequestSpec, RequestSpec]>([
  ['an image property that is a dictionary', 'AggregateImagePropertiesIsolation', withDistribution({ a: 1 }), withDistribution({ a: 2 })],
  ['the order of the extra specs', 'AggregateInstanceExtraSpecsFilter', withSpecs(other, ssd), withSpecs(ssd, other)],
])('requests that differ in %s do not share verdicts', (_field, name, one, two) => {
  const counts = (...requests: readonly RequestSpec[]) => {
    const log = aLog()
    log.append([
      aReport('h1'),
      { type: 'aggregate', uuid: aUuid(1), expectedVersion: 0, next: { name: 'a', metadata: METADATA, hosts: ['h1'] } },
    ])
    const profile = profileSchema.parse({ name: 'p', number: 1, compat: 'nova', filters: [{ name }], weighers: [] })
    return requests.map((request) => {
      const overlay = openOverlay(log.fleet)
      try {
        const asked = { id: 'd', request, profile, seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c'] }
        return decide(log.fleet, overlay, asked).record.instances[0]?.filters
      } finally {
        overlay.discard()
      }
    })
  }
  const [ofOne, ofTwo] = [counts(one)[0], counts(two)[0]]
  expect(ofOne).not.toEqual(ofTwo)
  // A host that was chosen counts as changed, so a cached verdict is found only after a refusal.
  expect(counts(one, two)).toEqual([ofOne, ofTwo])
  expect(counts(two, one)).toEqual([ofTwo, ofOne])
})
