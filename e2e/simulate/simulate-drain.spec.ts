import { expect, test } from '../fixtures.ts'
import { place } from '../seed.ts'

const REQUEST = { flavor: { vcpus: 1, memoryMb: 512 }, availabilityZone: 'az1' }

test('instances without a destination after draining are shown, both for the placement and for the count', {
  tag: ['@colours', '@rare'],
}, async ({ page, visit, service, look }) => {
  // On each host of az3, at most one of the large instances fits. The small instance fits on any of these hosts.
  await place(service.client, { zone: 'az3', vcpus: 1, memoryMb: 4_096 })
  await place(service.client, { zone: 'az3', vcpus: 1, memoryMb: 4_096 })
  const { hosts } = await place(service.client, { zone: 'az3', vcpus: 0, memoryMb: 256 })
  const host = hosts[0] ?? ''
  await visit(`/simulate?${new URLSearchParams({ request: JSON.stringify(REQUEST), count: '2', name: 'as it is' })}`)
  await expect(page.locator('[data-placed]')).toHaveAttribute('data-placed', '2')

  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('n')
  await page.getByLabel('Edit', { exact: true }).selectOption({ label: 'Drain hosts: their instances move' })
  await page.getByLabel('Hosts, by name').fill(host)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('list', { name: 'Edits' })).toContainText(`drain ${host}`)
  await page.keyboard.press('Control+Enter')

  const row = page.getByRole('region', { name: 'Comparison', exact: true }).locator('[data-row="No destination after draining"]')
  await expect(row.getByRole('cell')).toHaveText(['nothing is drained', '1 of 2'])
  await expect(row.getByRole('cell').last()).toHaveAttribute('title', new RegExp(`on ${host}: No host can take the instance`))
  for (const name of ['Drained hosts', 'Drained before counting']) {
    const drained = page.getByRole('region', { name, exact: true })
    await expect(drained).toHaveAttribute('data-moved', '1')
    await expect(drained).toContainText('1 instance on the drained hosts would move to other hosts, and 1 would find no destination:')
    const stuck = drained.getByRole('list', { name: `${name}: instances without a destination` }).getByRole('listitem')
    await expect(stuck).toHaveCount(1)
    await expect(stuck).toContainText(`on ${host}: No host can take the instance.`)
  }
  await look('a host that is drained')
})

test('if every instance finds another host, only the count of instances is shown', { tag: '@rare' }, async ({ page, visit, service }) => {
  const { hosts } = await place(service.client, { zone: 'az2', vcpus: 1, memoryMb: 1_024 })
  const overlay = JSON.stringify({ drainHosts: hosts })
  await visit(`/simulate?${new URLSearchParams({ request: JSON.stringify(REQUEST), overlay })}`)
  const drained = page.getByRole('region', { name: 'Drained before counting', exact: true })
  await expect(drained).toHaveAttribute('data-stuck', '0')
  await expect(drained).toContainText(/^\d instances? on the drained hosts would move to other hosts\.$/)
  await expect(drained.getByRole('list')).toHaveCount(0)
})
