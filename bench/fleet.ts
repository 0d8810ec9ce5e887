import { type Decided, type DecideInput, decide, type Fleet, openOverlay, type Profile, type RequestSpec } from '@gantt/scheduler-core'
import { aLog, aReport, aRequest, aUuid, type TestLog } from '@gantt/scheduler-core/testing'

const ZONES = 25

/** A log of hosts in 25 zones. Each host has a different usage, and at most eight CPUs and 32 GiB are free on it. */
export function aLogOf(hosts: number): TestLog {
  const log = aLog()
  const names = Array.from({ length: hosts }, (_, i) => `compute-${String(i).padStart(6, '0')}`)
  log.append(
    names.map((name, i) =>
      aReport(name, {
        vcpus: 64,
        vcpusUsed: 56 + (i % 9),
        memoryMb: 262_144,
        memoryMbUsed: 229_376 + ((i * 37) % 32_768),
        localGb: 2_000,
        localGbUsed: (i * 7) % 1_900,
        runningVms: i % 40,
        numIoOps: i % 5,
        traits: i % 3 === 0 ? ['CUSTOM_FAST'] : [],
      }),
    ),
  )
  log.append(
    Array.from({ length: ZONES }, (_, zone) => ({
      type: 'aggregate' as const,
      uuid: aUuid(zone),
      expectedVersion: 0,
      next: { name: `zone ${zone}`, hosts: names.filter((_, i) => i % ZONES === zone), metadata: { availability_zone: `z${zone}` } },
    })),
  )
  return log
}

/** `open`: most hosts pass. `zone`: only hosts of one zone pass. `short`: no host passes. */
export const requests: Readonly<Record<'open' | 'zone' | 'short', RequestSpec>> = {
  open: aRequest({ vcpus: 0, memoryMb: 0 }),
  zone: aRequest({ vcpus: 2, memoryMb: 4_096, availabilityZone: 'z7' }),
  short: aRequest({
    vcpus: 6,
    memoryMb: 32_768,
    flavor: { vcpus: 6, memoryMb: 32_768, rootGb: 400, extraSpecs: { 'trait:CUSTOM_FAST': 'required' } },
  }),
}

export function profileOf(fleet: Fleet, name: string): Profile {
  const profile = fleet.profiles.find(name)
  if (profile === undefined) throw new Error(`there is no profile ${name}`)
  return profile
}

export const defaultProfile = (fleet: Fleet): Profile => profileOf(fleet, 'default')

/**
 * Decides a request by a plain scan, without a claim: each filter checks the hosts that passed the filters before it, the hosts that passed
 * all filters are weighed, and the best of them is returned.
 */
export function scan(fleet: Fleet, request: RequestSpec, more: Partial<DecideInput> = {}): Decided {
  const overlay = openOverlay(fleet)
  try {
    return decide(fleet, overlay, {
      id: 'd',
      request,
      profile: defaultProfile(fleet),
      seed: 'seed',
      attempt: 1,
      alternatesPerInstance: 2,
      allOrNothing: true,
      claimIds: Array.from({ length: request.numInstances }, (_, i) => `c${i}`),
      isExhaustive: true,
      ...more,
    })
  } finally {
    overlay.discard()
  }
}
