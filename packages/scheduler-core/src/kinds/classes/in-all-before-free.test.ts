import { expect, test } from 'vitest'
import { prepareChecks } from '../../examine/examine.ts'
import { builtInProfiles } from '../../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import type { Profile } from '../../records/profile.ts'
import { aLog, aReport, aRequest } from '../../testing/index.ts'
import { IN_ALL_BEFORE_FREE } from '../../values/levels.ts'

const profile = builtInProfiles.find(({ name }) => name === 'default') as Profile

/** The reason codes for a host with 4 vCPUs, 4 GiB, 40 GiB of disk and 4 FPGAs, of which half are in use, in the order of the filters. */
function codesAt(level: number, asked: Parameters<typeof aRequest>[0]): string[] {
  const log = aLog()
  const inventories = [{ resourceClass: 'CUSTOM_FPGA', total: 4, used: 2 }]
  const host = { vcpus: 4, vcpusUsed: 2, memoryMb: 4_096, memoryMbUsed: 2_048, localGb: 40, localGbUsed: 20, inventories }
  log.append([{ type: 'feature', level }, aReport('h1', host)])
  const { checksOf } = prepareChecks(log.fleet, aRequest(asked), profile)
  return checksOf(0 as Parameters<typeof checksOf>[0]).flatMap(({ reason }) => reason?.code ?? [])
}

test.each([
  ['memory', { memoryMb: 8_192 }, 'memory.short', 'memory.too_little'],
  ['disk', { flavor: { vcpus: 1, memoryMb: 64, rootGb: 80 } }, 'disk.short', 'disk.too_little'],
  ['vCPUs', { vcpus: 8 }, 'cpu.too_few', 'cpu.too_few'],
  [
    'a custom class',
    { requestedResources: [{ amounts: [{ resourceClass: 'CUSTOM_FPGA', amount: 8 }] }] },
    'class.short',
    'class.too_little',
  ],
])(
  'if a request needs more %s than the total, the first reason names the total; at older levels, the free amount, except for vCPUs',
  (_what, asked, before, now) => {
    expect(codesAt(IN_ALL_BEFORE_FREE - 1, asked)[0]).toBe(before)
    expect(codesAt(FEATURE_LEVEL, asked)[0]).toBe(now)
  },
)

test.each([
  ['memory', { memoryMb: 3_072 }, 'memory.short'],
  ['vCPUs', { vcpus: 3 }, 'cpu.short'],
])('if other instances use the %s that a request needs, the reason names the free amount', (_what, asked, code) => {
  expect(codesAt(FEATURE_LEVEL, asked)[0]).toBe(code)
})
