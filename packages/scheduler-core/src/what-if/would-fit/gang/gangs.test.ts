import { describe, expect, test } from 'vitest'
import type { RequestSpecInput } from '../../../request/request-spec.ts'
import { aUuid } from '../../../testing/index.ts'
import { answerOf, type Case, zone } from '../testing/case.ts'

const GIB = 1_024
const flavor = (vcpus: number, gib: number, extraSpecs: Record<string, string> = {}) => ({ vcpus, memoryMb: gib * GIB, extraSpecs })
/** A gang with instances of one kind with 1 vCPU, and one instance of a kind with these parts. */
const gang = (member: NonNullable<RequestSpecInput['gang']>[number]) => ({
  flavor: flavor(1, 1),
  numInstances: 2,
  gang: [member],
})
const big = { name: 'big', instances: 1 }
const said = (given: Case): readonly string[] =>
  answerOf({ kinds: ['REQUEST'], ...given }).counterfactuals.map(({ changes }) =>
    changes.map(({ subject, to }) => `${subject} -> ${to}`).join('; '),
  )

describe('for a gang, the changes are those that the refused kind of instances needs', () => {
  test.each<[what: string, given: Case, first: string]>([
    [
      'the memory of a kind',
      { hosts: { a: { memoryMb: 4 * GIB }, b: { memoryMb: 2 * GIB } }, request: gang({ ...big, flavor: flavor(1, 8) }) },
      'memory of gang member "big" -> 3072 MiB',
    ],
    [
      'the vCPUs of the request’s own kind',
      {
        hosts: { a: { vcpus: 4 } },
        request: { flavor: { ...flavor(8, 1), name: 'own' }, numInstances: 2, gang: [{ ...big, flavor: flavor(1, 1) }] },
      },
      'vCPUs of gang member "own" -> 3',
    ],
    [
      'a misspelt trait of a kind',
      {
        hosts: { a: { traits: ['CUSTOM_FAST'] } },
        request: gang({ ...big, flavor: flavor(1, 1, { 'trait:CUSTOM_FSAT': 'required' }) }),
      },
      'trait CUSTOM_FSAT of gang member "big" -> CUSTOM_FAST',
    ],
    [
      'the GPUs of a kind',
      { hosts: { a: { gpus: [{ index: 0 }] } }, request: gang({ ...big, flavor: flavor(1, 1), gpus: { count: 2 } }) },
      'GPUs of gang member "big" -> 1',
    ],
    [
      'the devices of a kind',
      {
        hosts: { a: { pciPools: [{ vendorId: 'v', productId: 'p', total: 1 }] } },
        request: gang({ ...big, flavor: flavor(1, 1), pciRequests: [{ count: 2, specs: [{ vendor_id: 'v' }] }] }),
      },
      'PCI devices of gang member "big" -> 1',
    ],
    [
      'an amount of a resource group of a kind',
      {
        hosts: { a: { inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 2 }] } },
        request: gang({ ...big, flavor: flavor(1, 1), requestedResources: [{ amounts: [{ resourceClass: 'CUSTOM_FPGA', amount: 3 }] }] }),
      },
      'CUSTOM_FPGA of gang member "big" -> 2',
    ],
    [
      'the cells of a kind',
      {
        hosts: { a: { numaCells: [{ id: 0, cpuset: [0, 1], memoryMb: 2 * GIB }] } },
        request: gang({ ...big, flavor: flavor(1, 3), numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 3 * GIB }] } }),
      },
      'memory of each NUMA cell of gang member "big" -> 2048 MiB',
    ],
    [
      'a condition of the whole gang, which is named without a kind',
      {
        hosts: { a: {} },
        request: { ...gang({ ...big, flavor: flavor(1, 1) }), availabilityZone: 'zone-nroth' },
        aggregates: [zone('zone-north', ['a'])],
      },
      'availability zone -> zone-north',
    ],
  ])('%s', (_what, given, first) => {
    expect(said(given)[0]).toBe(first)
  })

  test('the changed request has the change in this kind only', () => {
    const request = gang({ ...big, flavor: flavor(1, 8) })
    const [first] = answerOf({ hosts: { a: { memoryMb: 4 * GIB }, b: { memoryMb: 2 * GIB } }, request, kinds: ['REQUEST'] }).counterfactuals
    expect(first?.request).toMatchObject({
      ...{ numInstances: 2, flavor: { memoryMb: GIB } },
      gang: [{ name: 'big', instances: 1, flavor: { vcpus: 1, memoryMb: 3_072 } }],
    })
  })

  test('two kinds that both lack something are changed together', () => {
    const request = {
      ...{ flavor: flavor(1, 1), numInstances: 3 },
      gang: [
        { name: 'wide', instances: 1, flavor: flavor(9, 1) },
        { name: 'tall', instances: 1, flavor: flavor(1, 9) },
      ],
    }
    const hosts = { a: { vcpus: 8, memoryMb: 8 * GIB }, b: { vcpus: 8, memoryMb: 8 * GIB } }
    const pairs = said({ hosts, request }).filter((text) => text.includes('; '))
    expect(pairs.some((text) => text.includes('vCPUs of gang member "wide"') && text.includes('memory of gang member "tall"'))).toBe(true)
  })

  test('the text names the kind once, and kinds without a name of their own by their number', () => {
    const textOf = (member: Parameters<typeof gang>[0]) =>
      answerOf({ hosts: { a: { memoryMb: 4 * GIB, traits: ['CUSTOM_FAST'] } }, request: gang(member), kinds: ['REQUEST'] })
        .counterfactuals[0]?.text
    expect(textOf({ ...big, flavor: flavor(1, 1, { 'trait:CUSTOM_FSAT': 'required' }) })).toBe(
      'request: trait CUSTOM_FSAT of gang member "big" -> CUSTOM_FAST: unlocks 1 host (a)',
    )
    expect(textOf({ instances: 1, flavor: flavor(1, 8) })).toBe(
      'request: memory of gang member 2: 8192 MiB -> 3072 MiB: unlocks 1 host (a)',
    )
  })

  test('fewer instances are not proposed, and changes of the fleet are', () => {
    const request = gang({ ...big, flavor: flavor(1, 8) })
    const answer = answerOf({ hosts: { a: { memoryMb: 4 * GIB } }, request, kinds: ['REQUEST', 'FLEET', 'POLICY'], first: 50 })
    const subjects = answer.counterfactuals.flatMap(({ changes }) => changes.map(({ subject }) => subject))
    expect(subjects).not.toContain('instances')
    expect(subjects.some((subject) => subject.startsWith('MEMORY_MB allocation ratio of host'))).toBe(true)
  })

  test('the counted hosts are those for the kind that was refused', () => {
    const request = gang({ ...big, flavor: flavor(1, 1, { 'trait:CUSTOM_FSAT': 'required' }) })
    const hosts = { a: { traits: ['CUSTOM_FAST'] }, b: {}, c: {} }
    expect(answerOf({ hosts, request, kinds: ['REQUEST'] }).counterfactuals[0]).toMatchObject({ unlocks: 1, exampleHosts: [{ host: 'a' }] })
  })

  test('the members of a server group stay apart', () => {
    const request = { ...gang({ ...big, flavor: flavor(1, 8) }), instanceGroup: { uuid: aUuid(7), policy: 'ANTI_AFFINITY' as const } }
    const hosts = { a: { memoryMb: 4 * GIB }, b: { memoryMb: GIB } }
    // a holds the big instance alone, and b the small one
    const { counterfactuals } = answerOf({ hosts, request, kinds: ['REQUEST'] })
    for (const { changes } of counterfactuals) expect(changes.length).toBeGreaterThan(0)
    expect(said({ hosts, request }).some((text) => text.startsWith('memory of gang member "big"'))).toBe(true)
  })
})
