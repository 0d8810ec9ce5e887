import { describe, expect, test } from 'vitest'
import { novaFilters } from '../filters/index.ts'
import type { NovaRequest } from '../objects/request.ts'
import { aHostState, aNovaRequest } from '../testing/builders.ts'
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
