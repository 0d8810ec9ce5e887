import fc from 'fast-check'
import { expect, test } from 'vitest'
import { draws } from '../../../../../testing/extent.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { builtInProfiles } from '../../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import type { Profile } from '../../records/profile.ts'
import { contradictionsOf, tooSmallForImage } from '../../request/contradictions.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { aLog, aReport, aRequest, aUuid, type HostShape } from '../../testing/index.ts'
import { atOnce } from '../../values/steps.ts'
import { simulate } from '../simulate.ts'
import { whatWouldFit } from './what-would-fit.ts'

/*
 * On small fleets, each change of a single number or requirement is tried. If a change makes the request fit, it must be proposed, with the
 * number that is nearest to the present value.
 */

const GIB = 1_024
const isOver = () => false

interface HostDrawn {
  readonly shape: HostShape
  readonly zone: string
}

const sizes = fc.constantFrom(1, 2, 4, 6, 8)
const hostDrawn: fc.Arbitrary<HostDrawn> = fc
  .record({
    vcpus: sizes,
    gib: sizes,
    traits: fc.constantFrom<string[]>([], ['CUSTOM_FAST']),
    fpga: fc.constantFrom(
      null,
      ...[1, 3, 4].flatMap((stepSize) => [4, 12, 24].map((total) => ({ total, stepSize, minUnit: 1, maxUnit: total }))),
    ),
    limits: fc.constantFrom({}, {}, { minUnit: 3 }, { maxUnit: 6 }),
    gpus: fc.integer({ min: 0, max: 3 }),
    pci: fc.integer({ min: 0, max: 3 }),
    cells: fc.constantFrom<readonly number[]>([], [2, 2], [3, 1], [4, 2], [1, 1]),
    zone: fc.constantFrom('zone1', 'zone2'),
  })
  .map(({ vcpus, gib, traits, fpga, limits, gpus, pci, cells, zone }) => ({
    zone,
    shape: {
      ...{ vcpus: cells.length > 0 ? 16 : vcpus, memoryMb: cells.length > 0 ? 16 * GIB : gib * GIB, traits },
      inventories: fpga === null ? [] : [{ resourceClass: 'CUSTOM_FPGA', ...fpga, ...limits }],
      gpus: Array.from({ length: gpus }, (_, index) => ({ index })),
      pciPools: pci === 0 ? [] : [{ vendorId: 'v', productId: 'p', total: pci }],
      numaCells: cells.map((many, id) => ({ id, cpuset: [0, 1, 2, 3].map((cpu) => cpu + 4 * id), memoryMb: many * GIB })),
    },
  }))

type Asked = NonNullable<Parameters<typeof aRequest>[0]>

interface Wanted {
  readonly vcpus: number
  readonly mib: number
  readonly numInstances: number
  readonly fpgas: number
  readonly gpus: number
  readonly pci: number
  readonly minRamMb: number
  /** The memory of each NUMA cell of the guest, in MiB. */
  readonly cells: readonly number[]
  readonly trait: boolean
  readonly zone: string | null
  readonly forced: string | null
  readonly destination: string | null
  readonly aggregate: number | null
}

const modest: Wanted = {
  ...{ vcpus: 1, mib: GIB, numInstances: 1, fpgas: 0, gpus: 0, pci: 0, minRamMb: 0, cells: [], trait: false },
  ...{ zone: null, forced: null, destination: null, aggregate: null },
}

/**
 * Further requirements. A request has at most three of them, because a single change would not suffice for a request with many requirements
 * that no host meets.
 */
const more: fc.Arbitrary<Partial<Wanted>> = fc.oneof(
  fc.record({ vcpus: fc.constantFrom(3, 5, 9) }),
  fc.record({ mib: fc.constantFrom(3, 5, 9).map((gib) => gib * GIB), minRamMb: fc.constantFrom(0, 512, GIB) }),
  fc.record({ fpgas: fc.constantFrom(5, 8, 12, 16) }),
  fc.record({ gpus: fc.constantFrom(2, 4) }),
  fc.record({ pci: fc.constantFrom(2, 4) }),
  fc.record({
    minRamMb: fc.constantFrom(512, GIB),
    cells: fc.constantFrom<readonly number[]>([3 * GIB, GIB], [2 * GIB, 2 * GIB], [GIB, 4 * GIB], [5 * GIB, 3 * GIB]),
  }),
  fc.record({ trait: fc.constant(true) }),
  fc.record({ zone: fc.constantFrom('zone1', 'zone2') }),
  fc.record({ forced: fc.constantFrom('h0', 'h1') }),
  fc.record({ destination: fc.constantFrom('h1', 'h2') }),
  fc.record({ aggregate: fc.constantFrom(1, 2) }),
)

const wanted: fc.Arbitrary<Wanted> = fc
  .tuple(fc.constantFrom(1, 1, 2, 3, 4), fc.array(more, { minLength: 1, maxLength: 3 }))
  .map(([numInstances, wishes]) => {
    const one: Wanted = { ...modest, numInstances, ...Object.assign({}, ...wishes) }
    return one.cells.length === 0 ? one : { ...one, vcpus: one.cells.length, mib: one.cells.reduce((sum, mib) => sum + mib, 0) }
  })

const requestOf = ({
  vcpus,
  mib,
  numInstances,
  fpgas,
  gpus,
  pci,
  minRamMb,
  cells,
  trait,
  zone,
  forced,
  destination,
  aggregate,
}: Wanted): RequestSpec => {
  const asked: Asked = {
    numInstances,
    flavor: { vcpus, memoryMb: mib, extraSpecs: fpgas === 0 ? {} : { 'resources:CUSTOM_FPGA': String(fpgas) } },
    image: { id: 'i', minRamMb },
    requestedResources: [{ amounts: [], requiredTraits: trait ? ['CUSTOM_FAST'] : [] }],
    ...(gpus > 0 && { gpus: { count: gpus } }),
    ...(pci > 0 && { pciRequests: [{ count: pci, specs: [{ vendor_id: 'v' }] }] }),
    ...(cells.length > 0 && { numaTopology: { cells: cells.map((memoryMb, id) => ({ id, cpus: [id], memoryMb })) } }),
    availabilityZone: zone,
    ...(forced !== null && { forceHosts: [forced] }),
    ...((destination !== null || aggregate !== null) && {
      requestedDestination: {
        ...(destination !== null && { host: destination }),
        ...(aggregate !== null && { aggregates: [aUuid(aggregate)] }),
      },
    }),
  }
  return aRequest(asked)
}

function fleetOf(hosts: readonly (HostDrawn & { readonly name: string })[]): Fleet {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...hosts.map(({ name, shape }) => aReport(name, shape))])
  for (const [i, zone] of ['zone1', 'zone2'].entries()) {
    const members = hosts.flatMap((host) => (host.zone === zone ? [host.name] : [])).sort()
    const next = { name: zone, hosts: members, metadata: { availability_zone: zone } }
    log.append([{ type: 'aggregate', uuid: aUuid(i + 1), expectedVersion: 0, next }])
  }
  return log.fleet
}

const fits = (fleet: Fleet, request: RequestSpec, profile: Profile): boolean =>
  contradictionsOf(request).length + tooSmallForImage(request).length === 0 &&
  atOnce(simulate(fleet, { requests: [{ request, count: 1 }], profile, seed: 's', isOver })).failed === 0

const ask = (fleet: Fleet, request: RequestSpec, profile: Profile) =>
  atOnce(
    whatWouldFit(fleet, {
      ...{ request, profile, isOver, seed: 's', kinds: ['REQUEST'] },
      ...{ maxChanges: 1, first: 50, minHosts: 1, maxRuns: 1_000 },
    }),
  )

const saidOf = ({ counterfactuals }: ReturnType<typeof ask>): readonly string[] =>
  counterfactuals.map(({ changes }) => changes.map(({ subject, from, to }) => `${subject} ${from} -> ${to}`).join('; '))

const below = (now: number, step: number): readonly number[] =>
  Array.from({ length: Math.ceil(now / step) - 1 }, (_, i) => now - (now % step || step) - i * step)

interface Dimension {
  /** The name of the resource in proposals. */
  readonly subject: string
  /** The text of a number in proposals, with its unit. */
  readonly to: (number: number) => string
  /** The numbers that are tried, in descending order from the present number. */
  readonly numbers: readonly number[]
  readonly with: (number: number) => Wanted
}

/** The numbers of a request that can be reduced separately. */
function dimensionsOf(one: Wanted): readonly Dimension[] {
  const { vcpus, mib, fpgas, gpus, pci, cells } = one
  const whole: Dimension[] =
    cells.length > 0
      ? [
          {
            ...{ subject: 'memory of each NUMA cell', to: (size: number) => `${size} MiB`, numbers: below(Math.max(...cells), 512) },
            with: (size: number) =>
              withCells(
                one,
                cells.map((own) => Math.min(own, size)),
              ),
          },
          ...cells.map((own, i) => ({
            ...{ subject: `memory of NUMA cell ${i}`, to: (size: number) => `${size} MiB`, numbers: below(own, 512) },
            with: (size: number) => withCells(one, cells.with(i, size)),
          })),
        ]
      : [
          { subject: 'memory', to: (size) => `${size} MiB`, numbers: below(mib, 512), with: (size) => ({ ...one, mib: size }) },
          { subject: 'vCPUs', to: String, numbers: below(vcpus, 1), with: (many) => ({ ...one, vcpus: many }) },
        ]
  return [
    ...whole,
    { subject: 'CUSTOM_FPGA', to: String, numbers: below(fpgas, 1), with: (many) => ({ ...one, fpgas: many }) },
    { subject: 'GPUs', to: (many) => `${many}`, numbers: below(gpus, 1), with: (many) => ({ ...one, gpus: many }) },
    { subject: 'PCI devices', to: String, numbers: below(pci, 1), with: (many) => ({ ...one, pci: many }) },
  ]
}

const withCells = (one: Wanted, cells: readonly number[]): Wanted => ({ ...one, cells, mib: cells.reduce((sum, mib) => sum + mib, 0) })

/** For each requirement of a request: the text of a proposal that drops it, and the request without it. */
const wishesOf = (one: Wanted): readonly (readonly [said: string, Wanted])[] => [
  ...(one.zone === null ? [] : [[`availability zone ${one.zone} -> any`, { ...one, zone: null }] as const]),
  ...(one.forced === null ? [] : [[`hosts asked for ${one.forced} -> any`, { ...one, forced: null }] as const]),
  ...(one.destination === null ? [] : [[`requested destination ${one.destination} -> any`, { ...one, destination: null }] as const]),
  ...(one.aggregate === null ? [] : [[`aggregates asked for ${aUuid(one.aggregate)} -> any`, { ...one, aggregate: null }] as const]),
  ...(one.trait ? [['trait CUSTOM_FAST required -> not asked', { ...one, trait: false }] as const] : []),
]

test.each(['default', 'nova', 'nova-compat'])('every single change that makes a request fit is proposed, by the profile %s', (named) => {
  const profile = builtInProfiles.find(({ name }) => name === named) as Profile
  const met = { refused: 0, numbers: 0, wishes: 0, steps: 0, cells: 0, several: 0 }
  fc.assert(
    fc.property(fc.array(hostDrawn, { minLength: 1, maxLength: 7 }), wanted, fc.infiniteStream(fc.nat()), (drawn, one, keys) => {
      const hosts = drawn.map((host, i) => ({ ...host, name: `h${i}`, key: keys.next().value as number })).toSorted((a, b) => a.key - b.key)
      const fleet = fleetOf(hosts)
      const request = requestOf(one)
      if (contradictionsOf(request).length + tooSmallForImage(request).length > 0 || fits(fleet, request, profile)) return
      met.refused++
      const answer = ask(fleet, request, profile)
      const said = saidOf(answer)
      expect([answer.cut, answer.leftOut]).toEqual([null, 0])
      for (const { subject, to, numbers, with: withNumber } of dimensionsOf(one)) {
        const nearest = numbers.find((number) => fits(fleet, requestOf(withNumber(number)), profile))
        if (nearest === undefined) continue
        met.numbers++
        met.steps += subject === 'CUSTOM_FPGA' ? 1 : 0
        met.cells += subject.includes('cell') ? 1 : 0
        met.several += one.numInstances > 1 ? 1 : 0
        const found = said.filter((text) => text.startsWith(`${subject} `) && !text.endsWith('any'))
        if (subject.includes('cell')) expect([said, isCovered(one, withNumber(nearest), said)]).toEqual([said, true])
        else if (subject === 'memory' || subject === 'vCPUs')
          // only some numbers are tried here, so the proposal can have a number that is nearer than `nearest`
          expect([subject, nearest, found.some((text) => Number.parseInt(text.split(' -> ')[1] ?? '', 10) >= nearest)]).toEqual([
            subject,
            nearest,
            true,
          ])
        else expect(found.map((text) => text.split(' -> ')[1])).toContain(to(nearest))
      }
      for (const [text, without] of wishesOf(one)) {
        if (!fits(fleet, requestOf(without), profile)) continue
        met.wishes++
        expect(said).toContain(text)
      }
      const inOrder = ask(fleetOf(hosts.toSorted((a, b) => (a.name < b.name ? -1 : 1))), request, profile)
      expect(saidOf(inOrder).toSorted()).toEqual(said.toSorted())
    }),
    draws(45, 45, 300, 5),
  )
  for (const [kind, times] of Object.entries(met)) expect([kind, times > 0 || kind === 'cells']).toEqual([kind, true])
})

/** True if a proposal in `said` leaves each guest cell at least as much memory as the request `less` has. */
function isCovered(one: Wanted, less: Wanted, said: readonly string[]): boolean {
  return said.some((text) => {
    const [, cell, to] = /^memory of (?:each )?NUMA cell ?(\d*) \d+ MiB -> (\d+) MiB$/.exec(text) ?? []
    if (to === undefined) return false
    const sizes = one.cells.map((own, i) => (cell === '' || cell === String(i) ? Math.min(own, Number(to)) : own))
    // if all guest cells are equal, the proposal can reduce a different cell than `less` does, so the sizes are compared in sorted order
    const inOrder = (all: readonly number[]) => (new Set(one.cells).size === 1 ? all.toSorted((a, b) => a - b) : all)
    return inOrder(sizes).every((size, i) => size >= (inOrder(less.cells)[i] ?? 0))
  })
}
