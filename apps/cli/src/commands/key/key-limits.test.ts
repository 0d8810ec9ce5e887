import { beforeEach, expect, test } from 'vitest'
import { oneLine, widthOf } from '../../testing/gantt.ts'
import { useOwnService } from '../../testing/own-service.ts'

const { run } = useOwnService()

interface Limits {
  readonly cap: number
  readonly afterlife: string
  readonly version: number
  readonly endedKeys: number
  readonly keptKeys: number
}

const limitsNow = async (): Promise<Limits> => oneLine<Limits>(await run('key-limits', '--json'))

beforeEach(async () => {
  await run('key-limits', '--cap', '20000000', '--afterlife-minutes', '60')
})

test('the limits are shown, with the count of keys that have live claims, which are not limited', async () => {
  const before = await limitsNow()
  type Placed = { destinations: { selected: { claim: { id: string } } }[] }
  const placed = oneLine<Placed>(await run('select', '--vcpus', '1', '--memory-mb', '64', '--json'))
  expect(await limitsNow()).toMatchObject({ endedKeys: before.endedKeys, keptKeys: before.keptKeys + 1 })
  const id = placed.destinations[0]?.selected.claim.id ?? ''
  await run('claims', 'release', id)
  const after = await limitsNow()
  expect(after).toMatchObject({ endedKeys: before.endedKeys + 1, keptKeys: before.keptKeys + 1 })
  const shown = await run('key-limits')
  expect([shown.err, shown.code, widthOf(shown.out) <= 80]).toEqual(['', 0, true])
  const others = after.keptKeys - after.endedKeys
  expect(shown.out.split('\n')).toEqual([
    'cap        20000000 ended keys',
    `kept now   ${after.endedKeys} ended keys; ${others} of live claims, which do not count`,
    'afterlife  1 h after the last claim of the key has ended',
    `version    ${after.version}`,
    '',
  ])
})

test('setting one limit does not change the other limit', async () => {
  const { version } = await limitsNow()
  expect(oneLine(await run('key-limits', '--cap', '40000000', '--json'))).toMatchObject({ cap: 40_000_000, afterlife: 'PT1H' })
  const set = await run('key-limits', '--afterlife-minutes', '30')
  expect([set.err, set.code]).toEqual(['', 0])
  expect(set.out).toContain('cap        40000000 ended keys')
  expect(await limitsNow()).toMatchObject({ cap: 40_000_000, afterlife: 'PT30M', version: version + 2 })
})

test('a dry run shows the limits that would result, and changes nothing', async () => {
  const before = await limitsNow()
  const { out, code } = await run('key-limits', '--cap', '1000', '--dry-run')
  expect([code, out]).toEqual([0, expect.stringMatching(/^Nothing was changed\. It would be:\ncap {8}1000 ended keys/)])
  expect(await limitsNow()).toEqual(before)
})

test.each([
  ['--cap', '999', '1000 to 100000000'],
  ['--cap', '100000001', '1000 to 100000000'],
  ['--afterlife-minutes', '0', '1 to 1440'],
  ['--afterlife-minutes', '1.5', '1 to 1440'],
])('%s %s is refused with the allowed range', async (option, value, range) => {
  const before = await limitsNow()
  const { err, code } = await run('key-limits', option, value)
  expect([code, err]).toEqual([2, expect.stringContaining(range)])
  expect(await limitsNow()).toEqual(before)
})
