import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { isLongForm, longFormNote } from '../../../../testing/extent.ts'
import { sharedData } from '../../../../testing/shared-folder.ts'
import { readHuaweiEpisodes } from './huawei/episodes.ts'
import { runHuaweiFill } from './huawei/fill.ts'
import { readHuaweiVms } from './huawei/vms.ts'
import { runHuaweiWait } from './huawei/wait.ts'
import { createInProcessDriver } from './in-process.ts'
import { readOpenbNodes } from './openb/nodes.ts'
import { runOpenb } from './openb/openb.ts'
import { readOpenbPods } from './openb/pods.ts'

// The traces are not in the repository, because the licence of one of them does not permit commercial use.
const huawei = sharedData('traces/huawei-east-1')
const openb = sharedData('traces/openb')

describe.skipIf(huawei.isMissing)(`Huawei-East-1${huawei.skipNote}`, () => {
  const file = (name: string) => path.join(huawei.path, name)

  // These are the first 10 of the 1,000 published episodes. The expected figures come from an independent program that follows the
  // published rules.
  test.skipIf(!isLongForm).each([
    ['first-fit', 282_986],
    ['balance-fit', 274_753],
  ] as const)(`the waiting time with %s is the published one in the first episodes${longFormNote}`, async (profile, seconds) => {
    const starts = readHuaweiEpisodes(file('episodes.json'), 'test_1000').slice(0, 10)
    const result = await runHuaweiWait({ vms: readHuaweiVms(file('vms.csv.gz')), starts, hosts: 5, profile, seed: '1' })
    expect(result.trimmedMeanWaitSeconds).toBe(seconds)
  })

  test.skipIf(!isLongForm)(`first-fit rejects 17 VMs on 43 hosts${longFormNote}`, async () => {
    const vms = readHuaweiVms(file('vms.csv.gz'))
    expect(await runHuaweiFill({ vms, hosts: 43, profile: 'first-fit', seed: '1' })).toMatchObject({ rejected: 17, peakHosts: 43 })
  })
})

describe.skipIf(openb.isMissing)(`OpenB${openb.skipNote}`, () => {
  test.skipIf(!isLongForm)(`first-fit allocates the published amount, within the spread of seeds${longFormNote}`, async () => {
    const nodes = readOpenbNodes(path.join(openb.path, 'nodes.csv.gz')).filter(({ gpus }) => gpus > 0)
    const pods = readOpenbPods(path.join(openb.path, 'pods_default.csv.gz'))
    const createDriver = (seed: string) => createInProcessDriver({ seed })
    const result = await runOpenb({ nodes, pods, profile: 'first-fit', scale: 1, seed: 1, createDriver })
    expect(result.gpus).toBe(6_212)
    expect(Math.abs(result.gpuAllocatedPct - 94.5)).toBeLessThan(0.3)
  })
})
