import type { RequestSpecInput } from '@gantt/scheduler-core'
import type { Draw, Theme } from './draw.ts'
import { instancePool } from './draw-host.ts'
import type { Question } from './plan.ts'
import { uuidOf } from './uuid.ts'

/** Draws a request for a fleet with these hosts. The request can also name a host that does not exist. */
export function drawQuestion(draw: Draw, theme: Theme, hosts: readonly string[]): Question {
  return {
    request: drawRequest(draw, theme, [...hosts, 'nobody']),
    seed: `s${draw.between(0, 1_000_000)}`,
    alternates: draw.of([0, 1, 2, 12]),
    allOrNothing: draw.chance(60),
  }
}

function drawRequest(draw: Draw, theme: Theme, hosts: readonly string[]): RequestSpecInput {
  const numInstances = draw.of([1, 1, 1, 2, 3, 5])
  return {
    flavor: {
      vcpus: draw.of([0, 1, 1, 2, 3]),
      memoryMb: draw.of([0, 256, 512, 512, 1_024, 1_300]),
      rootGb: draw.of([0, 0, 1, 2]),
      ephemeralGb: draw.of([0, 0, 0, 1]),
      swapMb: draw.of([0, 0, 0, 1, 1_500]),
      extraSpecs: drawExtraSpecs(draw),
    },
    numInstances,
    isBfv: draw.chance(20),
    ...(draw.chance(30) && { instanceUuids: draw.some(instancePool, numInstances) }),
    ...(draw.chance(12) && { image: drawImage(draw) }),
    ...(draw.chance(15) && { availabilityZone: draw.of(['z1', 'z2', 'nova', 'nowhere']) }),
    ...(draw.chance(theme === 'group' ? 90 : 15) && {
      instanceGroup: drawGroup(draw, hosts),
    }),
    ...(draw.chance(theme === 'numa' ? 85 : 5) && { numaTopology: { cells: draw.list(draw.of([1, 1, 2]), (id) => drawCell(draw, id)) } }),
    ...(draw.chance(theme === 'gpu' ? 85 : 8) && {
      gpus: { count: draw.of([1, 1, 2]), shareMilli: draw.of([250, 500, 1_000]), models: draw.of([[], [], ['A'], ['A', 'B'], ['C']]) },
    }),
    ...(draw.chance(11) && {
      requestedResources: [
        {
          amounts: draw.chance(70)
            ? [{ resourceClass: draw.of(['CUSTOM_FPGA', 'CUSTOM_FPGA', 'VCPU', 'CUSTOM_NONE']), amount: draw.between(0, 3) }]
            : [],
          requiredTraits: draw.chance(20) ? ['FAST'] : [],
          forbiddenTraits: draw.chance(20) ? ['OLD'] : [],
          memberOf: draw.chance(20) ? drawUuids(draw) : [],
        },
      ],
    }),
    ...(draw.chance(6) && {
      requestedDestination: {
        host: draw.chance(40) ? draw.of(hosts) : null,
        node: draw.chance(20) ? draw.of(hosts) : null,
        aggregates: draw.chance(30) ? drawUuids(draw) : [],
        forbiddenAggregates: draw.chance(40) ? drawUuids(draw) : [],
      },
    }),
    ...(draw.chance(5) && { forceHosts: draw.some(hosts, 2), forceVerify: draw.of(['ALL', 'HARD', 'NONE']) }),
    ...(draw.chance(2) && { forceNodes: draw.some(hosts, 2) }),
    ...(draw.chance(12) && { ignoreHosts: draw.some(hosts, draw.between(1, 2)) }),
    ...(draw.chance(20) && {
      schedulerHints: {
        ...(draw.chance(70) && { different_host: draw.some(instancePool, draw.between(0, 3)) }),
        ...(draw.chance(40) && { same_host: draw.some(instancePool, draw.between(0, 4)).map((uuid) => uuid.toUpperCase()) }),
      },
    }),
  }
}

const policies = ['AFFINITY', 'ANTI_AFFINITY', 'SOFT_AFFINITY', 'SOFT_ANTI_AFFINITY'] as const

/**
 * Draws a group. In 90 % of cases it has the uuid that belongs to its policy. Otherwise it can have the uuid that belongs to another
 * policy, as if its caller named the wrong policy.
 */
function drawGroup(draw: Draw, hosts: readonly string[]): NonNullable<RequestSpecInput['instanceGroup']> {
  const policy = draw.of([0, 1, 2, 2, 3, 3])
  const own = draw.chance(90) ? policy : draw.between(0, 3)
  const maxServerPerHost = draw.chance(85) ? null : 2
  const named = draw.chance(45) ? draw.list(draw.between(1, 2), () => draw.of(hosts)) : []
  return {
    ...{ uuid: uuidOf(200 + own), policy: policies[policy] ?? 'AFFINITY', maxServerPerHost, hosts: named },
    // This value depends on values drawn above, because an additional random number would change the cases of all seeds.
    apartFrom: named.length < 2 ? [uuidOf(200 + ((own + 1) % 4))] : [],
  }
}

const drawUuids = (draw: Draw) => draw.list(draw.between(1, 2), () => uuidOf(100 + draw.between(0, 4)))

const requirements = [
  'ssd',
  'hdd',
  '<or> ssd <or> 3',
  '= 2',
  '>= 3',
  '!= 2',
  '== 10',
  '<= 3',
  's== ssd',
  's!= ssd',
  's< ssd',
  '<in> s',
  '<all-in> x y',
  '<or>',
]

function drawExtraSpecs(draw: Draw): Record<string, string> {
  return {
    ...(draw.chance(12) && { [draw.of(['tier', 'aggregate_instance_extra_specs:tier', 'ssd'])]: draw.of(requirements) }),
    ...(draw.chance(5) && { 'hw:mem_page_size': 'large' }),
    ...(draw.chance(7) && {
      [`resources:${draw.of(['CUSTOM_FPGA', 'CUSTOM_FPGA', 'VCPU', 'CUSTOM_SLOT', 'CUSTOM_NONE'])}`]: String(draw.between(0, 3)),
    }),
    ...(draw.chance(15) && { [`trait:${draw.of(['FAST', 'SAFE', 'NEW'])}`]: draw.of(['required', 'forbidden']) }),
  }
}

function drawImage(draw: Draw): NonNullable<RequestSpecInput['image']> {
  return {
    architecture: draw.of([null, null, 'x86_64', 'aarch64', 'AMD64']),
    properties: {
      ...(draw.chance(50) && { [draw.of(['img_hv_type', 'hypervisor_type'])]: draw.of(['kvm', 'xen', 'qemu', 'xapi']) }),
      ...(draw.chance(30) && { [draw.of(['hw_vm_mode', 'vm_mode'])]: draw.of(['hvm', 'xen', 'pv']) }),
      ...(draw.chance(20) && { hw_architecture: 'x86_64' }),
      ...(draw.chance(50) && {
        [draw.of(['img_hv_requested_version', 'hypervisor_version_requires'])]: draw.of([
          '>=7.0',
          '>=6.0,<7.2',
          '==7.2',
          '!=2.12',
          '<7.2.0',
          '>6.0',
          'new',
        ]),
      }),
    },
  }
}

function drawCell(draw: Draw, id: number): NonNullable<RequestSpecInput['numaTopology']>['cells'][number] {
  const cpus = draw.list(draw.between(1, 3), (cpu) => cpu + id * 4)
  const cpuPolicy = draw.of(['shared', 'dedicated', 'mixed'] as const)
  return { id, cpus, memoryMb: draw.of([256, 512, 1_024]), cpuPolicy, dedicatedCpus: cpuPolicy === 'mixed' ? cpus.slice(0, 1) : [] }
}
