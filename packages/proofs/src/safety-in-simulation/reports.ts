import { HOSTS, NAMES, novaOf, uuidOf } from './fixtures.ts'
import { isLive as isLiveInModel } from './model/claim.ts'
import { isHeldOnly } from './model/held.ts'
import type { WorldState } from './world-state.ts'

/**
 * Sends a report of a host. The report lists some of the instances with live claims on the host, and in one case of 17 an instance of
 * another host. The host itself chooses which GPUs its instances use. Some reports show too little use, have no list of instances, are late
 * or are repeated. The last of the first hosts rarely lists its instances. It can also run an instance whose reservation was released.
 */
export function sendReport(world: WorldState, host: string, b: number): void {
  const process = world.processes[b % world.plan.replicas] ?? world.processes.find((one) => one !== undefined)
  if (process === undefined) return
  const sequence = (world.sequences.get(host) ?? 0) + (b % 7 === 1 ? 0 : 1)
  world.sequences.set(host, sequence)
  const running = world.model.claims.filter(
    (claim) =>
      claim.host === host && claim.instance !== null && (isLiveInModel(claim) || isHeldOnly(claim)) && (b >> (claim.fence % 5)) % 2 === 0,
  )
  const stray = b % 17 === 6 ? world.model.claims.find((claim) => claim.host !== host && isLiveInModel(claim)) : undefined
  const isSilent = b % 13 === 4
  // The host can use more resources than its listed instances, for itself or for instances that it does not list.
  const strangers = isSilent ? 0 : b % 3
  const vcpusUsed = isSilent ? 0 : strangers + running.reduce((sum, { amounts }) => sum + (amounts.VCPU ?? 0), 0)
  const busy = isSilent ? 0 : running.reduce((sum, { gpus }) => sum + gpus.length, 0)
  const gpus = [0, 1, 2].map((index) => ({ index, usedMilli: (index + b) % 3 < busy ? 1_000 : 0 }))
  const full = {
    // In one case of six the host has so few CPUs that overcommit would let one instance request more CPUs than exist.
    ...(b % 6 === 2 ? { vcpus: 4, cpuAllocationRatio: 2 } : { vcpus: 6 + (b % 5 === 0 ? 2 : 0) }),
    vcpusUsed,
    memoryMb: 16_384,
    memoryMbUsed: running.length * 1_024 + strangers * 512,
    localGb: 1_000,
    localGbUsed: 0,
    runningVms: running.length,
    gpus,
    // Two hosts report in Nova's form. One of them usually leaves out the ratio.
    ...(NAMES.indexOf(host) < 2 && { version: '1.3', nova: novaOf(NAMES.indexOf(host) === 0 && b % 4 > 0 ? 0 : 1 + (b % 2)) }),
    // In rare cases a machine reports the identity of another host.
    ...(b % 4 !== 3 && { machineId: uuidOf(0x81 + (b % 23 === 8 ? 0 : NAMES.indexOf(host))) }),
    instances:
      b % 11 === 3 || (host === HOSTS.at(-1) && b % 11 > 2)
        ? null
        : [...new Set([...running, ...(stray ? [stray] : [])].flatMap(({ instance }) => instance ?? []))],
  }
  const incarnation = uuidOf((b % 29 === 5 ? 0x92 : 0x91) + 0x100 * NAMES.indexOf(host))
  world.ask(
    process,
    `report of ${host}`,
    process.stats.update([{ name: { host }, incarnation, sequence, full }]),
    ({ results: [result] }) => {
      const hasLeft = result?.type === 'invalid' && result.issues.every(({ code }) => code.startsWith('report.host_'))
      if (result?.type === 'invalid' && !hasLeft) world.fail(`a report of ${host} is refused: ${result.message}`)
      if (result?.type === 'applied' && !result.unchanged && !world.model.reported.has(host))
        world.fail(`I3: a report of ${host} was taken, and is not in the log`)
    },
  )
}
