import { expect, test } from '../fixtures.ts'
import { gather } from '../seed.ts'

test('an aggregate shows the readers of each metadata key, and a suggestion for a misspelled key @looks', { tag: '@rare' }, async ({
  page,
  visit,
  look,
  service,
}) => {
  const uuid = await gather(service.client, 'read-keys', {
    availabilityZone: 'zone-read',
    metadata: { availabilty_zone: 'zone-read', ssd: 'true', filter_tenant_id: 'p1' },
  })
  await visit(`/aggregates/${uuid}`)
  const row = (key: string) => page.locator(`tr[data-key="${key}"]`)
  await expect(row('availability_zone')).toContainText('the service itself')
  await expect(row('availability_zone')).toContainText('AvailabilityZoneFilter')
  await expect(row('availability_zone').locator('[data-similar]')).toHaveCount(0)
  await expect(row('ssd').locator('[data-reader=AggregateInstanceExtraSpecsFilter]')).toContainText('where extra specs of flavors name it')
  await expect(row('ssd').locator('[data-similar]')).toHaveCount(0)
  await expect(row('availabilty_zone').locator('[data-similar]')).toHaveAttribute('data-similar', 'availability_zone')
  await expect(row('filter_tenant_id')).toContainText(
    'Read only by filters and weighers that no profile in use has: AggregateMultiTenancyIsolation.',
  )
  await look('the metadata of an aggregate with who reads it')
  await row('availability_zone')
    .getByRole('link', { name: /^default@/ })
    .first()
    .click()
  await expect(page).toHaveURL('/profiles/default')
})
