import { operationOf } from '../calls.ts'
import { expect, type Page, test } from '../fixtures.ts'
import { gather, report } from '../seed.ts'

const dialogOf = (page: Page) => page.getByRole('dialog', { name: /^Set the ratio or the reserve of/ })
const open = async (page: Page) => {
  await page.getByRole('button', { name: 'Set ratio or reserve' }).click()
  return dialogOf(page)
}
/** The cells of the row of a resource class, such as its reserved amount and its ratio. */
const shown = (page: Page, resourceClass: string) =>
  page
    .getByRole('table', { name: 'Usage by resource class' })
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: resourceClass, exact: true }) })
    .getByRole('cell')

test('a ratio and a reserved amount are set, are shown with the account and the reason, and are removed one by one @looks', {
  tag: '@rare',
}, async ({ page, visit, look, service }) => {
  await report(service.client, { 'al-01': { vcpusUsed: 4 } })
  await gather(service.client, 'twice', { hosts: ['al-01'], metadata: { cpu_allocation_ratio: '2' } })
  await visit('/hosts/al-01')
  await expect(shown(page, 'VCPU').nth(2)).toHaveText('2')
  await expect(page.getByText(/VCPU ratio: the least of its aggregates, twice \(set by admin/)).toBeVisible()

  const dialog = await open(page)
  const [ratio, reserved] = [dialog.getByLabel('Ratio', { exact: true }), dialog.getByLabel('Reserved', { exact: true })]
  const see = dialog.getByRole('button', { name: 'Preview the changes' })
  await expect(ratio).toHaveValue('')
  await dialog.getByLabel('Reason').fill('measured')
  await expect(see).toBeDisabled()
  for (const bad of ['much', '0', '1001']) {
    await ratio.fill(bad)
    await expect(dialog.getByText('It must be a number of 0.001 to 1000.')).toBeVisible()
    await expect(see).toBeDisabled()
  }
  await reserved.fill('1.5')
  await expect(dialog.getByText('It must be a whole number, 0 or more.')).toBeVisible()
  await look('an invalid ratio and reserved amount')

  // A value below the used amount is allowed. The preview shows how far the free amount falls below 0.
  await ratio.fill('0.25')
  await reserved.fill('8')
  await see.click()
  await expect(dialog.getByRole('status')).toContainText('al-01: VCPU free 28, then -2')
  await expect(shown(page, 'VCPU').nth(2)).toHaveText('2')
  await ratio.fill('1.5')
  await expect(dialog.getByRole('status')).toHaveCount(0)
  await see.click()
  await expect(dialog.getByRole('status')).toContainText('al-01: VCPU free 28, then 8')
  await look('the preview of a ratio and a reserved amount')
  await dialog.getByRole('button', { name: 'Set ratio and reserve' }).click()
  await expect(dialog).toBeHidden()
  await expect(shown(page, 'VCPU').nth(2)).toHaveText('1.5')
  await expect(shown(page, 'VCPU').nth(1)).toHaveText('8')
  await expect(page.getByText(/VCPU ratio: set for this host \(set by admin, .+: measured\)/)).toBeVisible()
  await expect(page.getByText(/VCPU reserved: set for this host \(set by admin, .+: measured\)/)).toBeVisible()
  await look('a host with its own ratio and reserved amount')

  // The fields have the values that were set. Emptying a field removes its value. The value of the other field is not sent.
  await open(page)
  await expect(ratio).toHaveValue('1.5')
  await expect(reserved).toHaveValue('8')
  await ratio.fill('')
  await dialog.getByLabel('Reason').fill('as its aggregates say')
  await see.click()
  const sent = page.waitForRequest((request) => operationOf(request).includes('hostSetAllocation('))
  await dialog.getByRole('button', { name: 'Set ratio and reserve' }).click()
  const { variables } = (await sent).postDataJSON() as { readonly variables: Readonly<Record<string, unknown>> }
  expect([variables.ratio, 'reserved' in variables]).toEqual([null, false])
  await expect(dialog).toBeHidden()
  await expect(shown(page, 'VCPU').nth(2)).toHaveText('2')
  await expect(shown(page, 'VCPU').nth(1)).toHaveText('8')
  await expect(page.getByText(/VCPU reserved: set for this host/)).toBeVisible()
  await expect(page.getByText(/VCPU ratio: the least of its aggregates, twice/)).toBeVisible()
})
