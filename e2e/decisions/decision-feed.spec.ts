import { expect, test } from '../fixtures.ts'
import { expectRowCount, firstCells, gridOf, rowWith } from '../grid.ts'
import { place, report } from '../seed.ts'
import { type Service, startService } from '../service.ts'

// The live list must have each decision once, whichever replica made it, while replicas start and end.

const LIST = 'Decisions'
const TIMEOUT_MS = 30_000

const refuse = (service: Service, flavor: string) => place(service.client, { flavor, vcpus: 999 })

test('the live list shows decisions of every replica, including those made while the connection was lost', { tag: '@rare' }, async ({
  page,
  provokes,
}) => {
  test.setTimeout(180_000)
  provokes('Failed to load resource')
  const first = await startService()
  const others: Service[] = []
  try {
    const second = await startService({ folder: first.folder })
    others.push(second)
    await report(first.client, { 'fed-01': {} })
    await page.goto(`${first.origin}/decisions?q=flavor:fed.*#key=${first.key}`)
    const badge = page.locator('[data-live]')
    await expect(badge).toHaveAttribute('data-live', 'live')
    await test.step('a refusal appears in the list although it is not in the log', async () => {
      await refuse(second, 'fed.elsewhere')
      await expect(rowWith(page, LIST, 'fed.elsewhere')).toBeVisible({ timeout: TIMEOUT_MS })
    })
    await test.step('the replica behind the page is killed, and the page connects to the next replica with this URL', async () => {
      await first.kill()
      await expect(badge).not.toHaveAttribute('data-live', 'live')
      await refuse(second, 'fed.missed-refusal')
      await place(second.client, { flavor: 'fed.missed-placement' })
      others.push(await startService({ folder: first.folder, port: Number(new URL(first.origin).port) }))
      await expect(badge).toHaveAttribute('data-live', 'live', { timeout: TIMEOUT_MS })
    })
    await test.step('no decision is missing or repeated, and a notice about the interruption is shown', async () => {
      await expectRowCount(page, LIST, 3)
      for (const flavor of ['fed.elsewhere', 'fed.missed-refusal', 'fed.missed-placement'])
        await expect(rowWith(page, LIST, flavor)).toHaveCount(1)
      await expect(page.getByText('The feed was interrupted')).toBeVisible()
    })
    await test.step('new decisions of all replicas are counted while the operator reads the list', async () => {
      await gridOf(page, LIST).focus()
      await page.keyboard.press('ArrowDown')
      const before = await firstCells(page, LIST)
      for (let i = 0; i < 2; i++) await refuse(second, `fed.read-${i}`)
      await place(second.client, { flavor: 'fed.read-2' })
      await expect(page.getByRole('button', { name: '3 new', exact: true })).toBeVisible({ timeout: TIMEOUT_MS })
      expect(await firstCells(page, LIST)).toEqual(before)
      await page.keyboard.press('n')
      await expectRowCount(page, LIST, 6)
    })
    await test.step('after a burst the list has all decisions, and the page shows how many of them the stream did not send', async () => {
      await page.goto(`${first.origin}/decisions?q=flavor:burst`)
      await expect(badge).toHaveAttribute('data-live', 'live')
      const [latest = second] = others.slice(-1)
      await Promise.all(Array.from({ length: 60 }, () => refuse(latest, 'burst')))
      const notice = page.getByText('decisions came faster than the feed reports them')
      await expect(notice).toBeVisible({ timeout: TIMEOUT_MS })
      await page.reload()
      await expect(gridOf(page, LIST)).toBeVisible()
      await gridOf(page, LIST).focus()
      await page.keyboard.press('End')
      await expectRowCount(page, LIST, 60)
    })
    await page.goto('about:blank')
  } finally {
    for (const service of others.reverse()) await service.stop()
    await first.stop()
  }
})
