import { trimBlanks } from '../../../text/numbers.ts'
import { quote } from '../../../text/problem.ts'
import { booleanOf } from '../../text/boolean-text.ts'
import { parseCpuList } from '../../text/cpu-list.ts'
import type { ImageProperties } from '../../text/image-properties.ts'
import { NovaError, type NovaErrorKind } from '../../text/nova-error.ts'
import { pythonInt } from '../../text/numbers.ts'
import type { CpuPolicy, CpuThreadPolicy, EmulatorThreadsPolicy } from '../topology.ts'
import { type FlavorSize, wish } from './flavor-wishes.ts'

const CPU_POLICIES: readonly CpuPolicy[] = ['dedicated', 'shared', 'mixed']
const THREAD_POLICIES: readonly CpuThreadPolicy[] = ['prefer', 'isolate', 'require']
const EMULATOR_POLICIES: readonly EmulatorThreadsPolicy[] = ['share', 'isolate']

/** The CPU policies of a guest, and which of its virtual CPUs are pinned. */
export interface CpuWishes {
  readonly cpuPolicy: CpuPolicy | null
  readonly threadPolicy: CpuThreadPolicy | null
  readonly emulatorPolicy: EmulatorThreadsPolicy | null
  readonly pinned: readonly number[]
}

/** Reads the CPU settings of flavor and image, and checks them in Nova's order. Throws NovaError with the name of Nova's exception. */
export function cpuWishes(flavor: FlavorSize, image: ImageProperties): CpuWishes {
  const asked = cpuPolicyOf(flavor, image)
  const askedThreads = threadPolicyOf(flavor, image)
  const realtime = realtimeCpus(flavor, image)
  const dedicated = dedicatedMask(flavor)
  const emulatorPolicy = emulatorPolicyOf(flavor)
  const cpuPolicy = policyByResources(flavor, asked, emulatorPolicy)
  const threadPolicy = policyByTrait(flavor, image, askedThreads)
  if (cpuPolicy === 'mixed') {
    if ((realtime === null) === (dedicated === null)) {
      throw new NovaError(
        'RequiredMixedOrRealtimeCPUMask',
        'the CPU policy mixed needs exactly one of hw:cpu_dedicated_mask and hw:cpu_realtime_mask',
      )
    }
    return { cpuPolicy, threadPolicy, emulatorPolicy, pinned: dedicated ?? realtime ?? [] }
  }
  if (cpuPolicy === 'dedicated') {
    refuseMask(dedicated)
    return { cpuPolicy, threadPolicy, emulatorPolicy, pinned: rangeOf(flavor.vcpus) }
  }
  refuseWithoutPins(threadPolicy, emulatorPolicy, dedicated, realtime)
  return { cpuPolicy, threadPolicy, emulatorPolicy, pinned: [] }
}

/** The integers from 0 to `count - 1`. */
export function rangeOf(count: number): readonly number[] {
  return Array.from({ length: count }, (_nothing, i) => i)
}

function cpuPolicyOf(flavor: FlavorSize, image: ImageProperties): CpuPolicy | null {
  const asked = wish(flavor, image, 'cpu_policy')
  const ofFlavor = oneOf(asked.flavor, CPU_POLICIES, 'InvalidCPUAllocationPolicy', 'hw:cpu_policy')
  const ofImage = oneOf(asked.image, CPU_POLICIES, 'InvalidCPUAllocationPolicy', 'hw_cpu_policy')
  const loosened =
    (ofFlavor === 'mixed' && ofImage === 'dedicated') || (ofFlavor === 'shared' && (ofImage === 'mixed' || ofImage === 'dedicated'))
  if (loosened)
    throw new NovaError('ImageCPUPinningForbidden', `the image asks for the CPU policy ${ofImage}, but the flavor allows only ${ofFlavor}`)
  return ofFlavor ?? ofImage
}

function threadPolicyOf(flavor: FlavorSize, image: ImageProperties): CpuThreadPolicy | null {
  const asked = wish(flavor, image, 'cpu_thread_policy')
  const ofFlavor = oneOf(asked.flavor, THREAD_POLICIES, 'InvalidCPUThreadAllocationPolicy', 'hw:cpu_thread_policy')
  const ofImage = oneOf(asked.image, THREAD_POLICIES, 'InvalidCPUThreadAllocationPolicy', 'hw_cpu_thread_policy')
  if (asked.flavor === null || ofFlavor === 'prefer') return ofFlavor ?? ofImage
  if (ofImage !== null && ofImage !== ofFlavor) {
    throw new NovaError(
      'ImageCPUThreadPolicyForbidden',
      `the image asks for the thread policy ${ofImage}, but the flavor for ${quote(asked.flavor)}`,
    )
  }
  return ofFlavor
}

function emulatorPolicyOf(flavor: FlavorSize): EmulatorThreadsPolicy | null {
  const asked = flavor.extraSpecs['hw:emulator_threads_policy'] ?? null
  return oneOf(asked, EMULATOR_POLICIES, 'InvalidEmulatorThreadsPolicy', 'hw:emulator_threads_policy')
}

/** The CPUs that run in real time. Null if the flavor requests none. */
function realtimeCpus(flavor: FlavorSize, image: ImageProperties): readonly number[] | null {
  if (!booleanOf(flavor.extraSpecs['hw:cpu_realtime'])) return null
  const asked = wish(flavor, image, 'cpu_realtime_mask')
  const mask = asked.image || asked.flavor
  const cpus = mask ? maskedCpus(mask, flavor.vcpus) : rangeOf(flavor.vcpus)
  const all = cpus.length === flavor.vcpus && cpus.every((cpu) => cpu >= 0 && cpu < flavor.vcpus)
  if (cpus.length === 0) throw new NovaError('RealtimeMaskNotFoundOrInvalid', `the real-time mask ${quote(mask)} leaves no CPU`)
  // As in Nova, this check comes before the check that the CPUs of the mask exist.
  const emulatorPolicy = emulatorPolicyOf(flavor)
  if (all && emulatorPolicy === null) throw new NovaError('RealtimeMaskNotFoundOrInvalid', 'at least one CPU must not be a real-time CPU')
  if (!cpus.every((cpu) => cpu < flavor.vcpus)) {
    throw new NovaError(
      'RealtimeMaskNotFoundOrInvalid',
      `the real-time mask ${quote(mask)} names CPUs beyond the ${flavor.vcpus} of the flavor`,
    )
  }
  return cpus
}

/** The virtual CPUs that are pinned in a guest with the policy mixed. Null if the flavor has no mask for them. */
function dedicatedMask(flavor: FlavorSize): readonly number[] | null {
  const mask = flavor.extraSpecs['hw:cpu_dedicated_mask']
  if (!mask) return null
  const cpus = maskedCpus(mask, flavor.vcpus)
  const pinned = new Set(cpus)
  const leavesSome = rangeOf(flavor.vcpus).some((cpu) => !pinned.has(cpu))
  if (cpus.length === 0 || !leavesSome || cpus.some((cpu) => cpu >= flavor.vcpus)) {
    throw new NovaError(
      'InvalidMixedInstanceDedicatedMask',
      `hw:cpu_dedicated_mask is ${quote(mask)}; it must name some, but not all, of the ${flavor.vcpus} CPUs`,
    )
  }
  return cpus
}

/** The CPUs of a mask. A mask that begins with an exclusion, such as `^0`, means all CPUs without the excluded ones. */
function maskedCpus(mask: string, vcpus: number): readonly number[] {
  return parseCpuList(trimBlanks(mask).startsWith('^') ? `0-${vcpus - 1},${mask}` : mask)
}

/** Reads the CPU policy from `resources:PCPU` (dedicated) or `resources:VCPU` (shared). They cannot be combined with `hw:cpu_policy`. */
function policyByResources(flavor: FlavorSize, asked: CpuPolicy | null, emulatorPolicy: EmulatorThreadsPolicy | null): CpuPolicy | null {
  const vcpus = resourcesOf(flavor, /^resources([1-9][0-9]*)?:VCPU/)
  const pcpus = resourcesOf(flavor, /^resources([1-9][0-9]*)?:PCPU/)
  if (asked !== null && (vcpus !== 0 || pcpus !== 0))
    throw new NovaError('InvalidRequest', 'resources:VCPU and resources:PCPU cannot be combined with hw:cpu_policy')
  if (vcpus !== 0 && pcpus !== 0) throw new NovaError('InvalidRequest', 'resources:VCPU cannot be combined with resources:PCPU')
  if (pcpus !== 0) {
    const need = flavor.vcpus + (emulatorPolicy === 'isolate' ? 1 : 0)
    if (need !== pcpus) throw new NovaError('InvalidRequest', `resources:PCPU is ${pcpus}; the flavor needs ${need}`)
    return 'dedicated'
  }
  return vcpus !== 0 ? 'shared' : asked
}

function resourcesOf(flavor: FlavorSize, key: RegExp): number {
  const amounts = Object.entries(flavor.extraSpecs).filter(([name]) => key.test(name))
  return amounts.reduce((sum, [, text]) => sum + (readInt(text) ?? 0), 0)
}

function readInt(text: string): number | undefined {
  try {
    return pythonInt(text)
  } catch (error) {
    if (error instanceof NovaError) return undefined
    throw error
  }
}

/** Reads the thread policy from the trait HW_CPU_HYPERTHREADING. It cannot be combined with `hw:cpu_thread_policy`. */
function policyByTrait(flavor: FlavorSize, image: ImageProperties, asked: CpuThreadPolicy | null): CpuThreadPolicy | null {
  const entry = Object.entries(flavor.extraSpecs).find(([name]) => /^trait([1-9][0-9]*)?:HW_CPU_HYPERTHREADING/.test(name))
  const traits = image.traits_required ?? []
  const trait = entry?.[1] ?? (Array.isArray(traits) && traits.includes('HW_CPU_HYPERTHREADING') ? 'required' : null)
  if (asked !== null && trait)
    throw new NovaError('InvalidRequest', 'the trait HW_CPU_HYPERTHREADING cannot be combined with hw:cpu_thread_policy')
  return trait === 'forbidden' ? 'isolate' : trait === 'required' ? 'require' : asked
}

/** Throws an error for each setting that needs pinned CPUs, because the guest has none. */
function refuseWithoutPins(
  threadPolicy: CpuThreadPolicy | null,
  emulatorPolicy: EmulatorThreadsPolicy | null,
  dedicated: readonly number[] | null,
  realtime: readonly number[] | null,
): void {
  if (threadPolicy !== null)
    throw new NovaError('CPUThreadPolicyConfigurationInvalid', `the thread policy ${threadPolicy} needs dedicated CPUs`)
  if (emulatorPolicy === 'isolate')
    throw new NovaError('BadRequirementEmulatorThreadsPolicy', 'separate emulator threads need dedicated CPUs')
  refuseMask(dedicated)
  if (realtime !== null) throw new NovaError('RealtimeConfigurationInvalid', 'real time needs dedicated CPUs')
}

function refuseMask(dedicated: readonly number[] | null): void {
  if (dedicated !== null) throw new NovaError('RequiredMixedInstancePolicy', 'hw:cpu_dedicated_mask needs the CPU policy mixed')
}

function oneOf<Word extends string>(text: string | null, words: readonly Word[], kind: NovaErrorKind, key: string): Word | null {
  if (!text) return null
  const found = words.find((word) => word === text)
  if (found === undefined) throw new NovaError(kind, `${key} is ${quote(text)}; it must be one of ${words.join(', ')}`)
  return found
}
