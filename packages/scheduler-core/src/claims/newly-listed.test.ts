import { expect, test } from 'vitest'
import { Fleet } from '../fleet/fleet.ts'
import { FEATURE_LEVEL } from '../records/change.ts'
import type { Claim } from '../records/claim.ts'
import { aClaim, aLog, aMove, aReport, aUuid, type HostShape, type TestLog } from '../testing/index.ts'
import { NEWLY_LISTED } from '../values/levels.ts'

/**
 * A step of a test. A list: h1 reports these instances. null: h1 reports without a list of instances. 'reserve': a reservation of an
 * instance on h1. 'move here': a move of the instance from h2 to h1. 'confirm': the claim on h1 is confirmed.
 */
type Step = string[] | null | 'reserve' | 'move here' | 'confirm'

const VM = aUuid(1)
const OLD = 2
const NEW = 5
const VCPUS = 16

/** Returns the log after these steps. The instance runs with 2 CPUs, and the steps give it a claim of 5 CPUs on h1. */
function afterSteps(steps: readonly Step[], level: number): TestLog {
  const log = aLog(new Fleet())
  let sequence = 0
  const report = (host: string, shape: HostShape): void =>
    expect(log.append([aReport(host, { vcpus: VCPUS, memoryMb: 1_024, ...shape }, ++sequence)])).toEqual([undefined])
  log.append([{ type: 'feature', level }])
  report('h1', { instances: [] })
  report('h2', { instances: [] })
  for (const step of steps) {
    const fence = log.fleet.ledger.claims.get('c.0')?.fence ?? 0
    if (step === null) report('h1', { instances: null })
    else if (Array.isArray(step)) report('h1', { instances: step, vcpusUsed: step.includes(VM) ? OLD : 0 })
    else if (step === 'confirm') log.append([{ type: 'confirm', claim: 'c.0', fence }])
    else if (step === 'reserve') {
      const grants = { classes: { VCPU: NEW } }
      expect(log.append([aClaim({ key: 'c', mode: 'RESERVE', instances: [VM], hosts: ['h1'], grants })])).toEqual([undefined])
    } else {
      log.append([aClaim({ key: 'b', mode: 'CONFIRM', instances: [VM], hosts: ['h2'], grants: { classes: { VCPU: OLD } } })])
      const source = log.fleet.ledger.claims.get('b.0') as Claim
      const move = { key: 'c', mode: 'CONFIRM', hosts: ['h1'], instances: [VM], grants: { classes: { VCPU: NEW } } } as const
      expect(log.append([aMove({ ...move, intent: 'RESIZE', source: { claim: 'b.0', fence: source.fence } })])).toEqual([undefined])
    }
  }
  return log
}

const stateAndFree = ({ fleet }: TestLog) => [
  fleet.ledger.claims.get('c.0')?.state,
  fleet.hosts.classColumns('VCPU').free[fleet.hosts.find({ host: 'h1', node: 'h1' })?.index ?? 0],
]

test.each<readonly [string, readonly Step[], string, number]>([
  ['reserved before its host listed the instance', ['reserve', [VM]], 'MATERIALISED', VCPUS - NEW],
  ['reserved while the instance was listed', [[VM], 'reserve', [VM]], 'RESERVED', VCPUS - OLD - NEW],
  ['reserved while the instance was listed, and confirmed', [[VM], 'reserve', 'confirm', [VM]], 'MATERIALISED', VCPUS - NEW],
  [
    'reserved while the instance was listed, which then left the list and returned',
    [[VM], 'reserve', [], [VM]],
    'MATERIALISED',
    VCPUS - NEW,
  ],
  ['reserved before its host listed any instances', [null, 'reserve', [VM]], 'MATERIALISED', VCPUS - NEW],
  ['reserved, after which the host once reported no list', ['reserve', null, [VM]], 'MATERIALISED', VCPUS - NEW],
  ['reserved after the host listed the instance and then reported no list', [[VM], null, 'reserve', [VM]], 'RESERVED', VCPUS - OLD - NEW],
  ['moved to a host that did not list the instance', ['move here', [VM]], 'MATERIALISED', VCPUS - NEW],
  ['moved to a host that listed the instance', [[VM], 'move here', [VM]], 'CONFIRMED', VCPUS - OLD - NEW],
  ['moved to a host that listed the instance, and confirmed', [[VM], 'move here', 'confirm', [VM]], 'MATERIALISED', VCPUS - NEW],
])('the state of a claim that was %s', (_name, steps, state, free) => {
  expect(stateAndFree(afterSteps(steps, FEATURE_LEVEL))).toEqual([state, free])
})

test.each<readonly [string, readonly Step[]]>([
  ['reserved while the instance was listed', [[VM], 'reserve', [VM]]],
  ['reserved after the host listed the instance and then reported no list', [[VM], null, 'reserve', [VM]]],
  ['moved to a host that listed the instance', [[VM], 'move here', [VM]]],
])('below the feature level any list with the instance materialises a claim that was %s', (_name, steps) => {
  expect(stateAndFree(afterSteps(steps, NEWLY_LISTED - 1))).toEqual(['MATERIALISED', VCPUS - NEW])
})
