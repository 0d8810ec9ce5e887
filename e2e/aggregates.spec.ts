import { expect, expectNoSidewaysScroll, test } from './fixtures.ts'
import { gather } from './seed.ts'

test('an aggregate shows its members and metadata, and a member opens', async ({ page, visit, service }) => {
  await visit('/aggregates?q=key:ssd')
  await expect(page.locator('[data-count="1"]')).toBeVisible()
  await page.getByRole('grid', { name: 'Aggregates' }).getByText('fast-disks').click()
  await expect(page).toHaveURL(`/aggregates/${service.seed.aggregates.fast}`)
  await expect(page.locator('[data-members="7"]')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Metadata' })).toContainText('rack')
  await page.getByLabel('Find a member by part of its name').fill('az2')
  await expect(page.getByRole('grid', { name: 'Members' })).toHaveAttribute('aria-rowcount', '5')
  await page.getByRole('grid', { name: 'Members' }).getByText('az2-01').click()
  await expect(page).toHaveURL('/hosts/az2-01')
})

test('an edit is drafted, looked at, applied; the draft outlives a reload', async ({ page, visit, service }) => {
  const uuid = await gather(service.client, 'to-edit', { hosts: ['az1-01'], metadata: { tier: 'gold' } })
  await visit(`/aggregates/${uuid}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Add hosts').fill('az1-03, az2-01')
  await page.getByLabel('Set metadata').fill('tier=blue')
  await page.reload()
  await expect(page.getByLabel('Add hosts')).toHaveValue('az1-03\naz2-01')
  await expect(page.getByRole('region', { name: 'What the draft changes' })).toContainText('tier: gold → blue')
  await page.getByRole('button', { name: 'See what it touches' }).click()
  await expect(page.locator('[data-impact]')).toContainText('hosts')
  await page.getByRole('button', { name: 'Apply to version 1' }).click()
  await expect(page.locator('[data-version="2"]')).toBeVisible()
  await expect(page.locator('[data-members="3"]')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Metadata' })).toContainText('blue')
})

test('hosts that nobody knows are told by name, and nothing is changed', async ({ page, visit, service }) => {
  const uuid = await gather(service.client, 'strangers', {})
  await visit(`/aggregates/${uuid}?edit=yes`)
  await page.getByLabel('Add hosts').fill('az1-01 nobody-1 nobody-2')
  await page.getByRole('button', { name: 'See what it touches' }).click()
  const refusal = page.getByRole('alert').filter({ hasText: 'It was refused' })
  await expect(refusal).toContainText('nobody-1')
  await expect(refusal).toContainText('nobody-2')
  await expect(page.locator('[data-version="1"]')).toBeVisible()
})

test('two tabs edit: the second sees what the first changed, and goes on from there', async ({ page, visit, service, context }) => {
  const uuid = await gather(service.client, 'two-tabs', { metadata: { a: '1' } })
  await visit(`/aggregates/${uuid}?edit=yes`)
  await page.getByLabel('Set metadata').fill('a=mine')
  const other = await context.newPage()
  await other.goto(`/aggregates/${uuid}?edit=yes`)
  await other.getByLabel('Set metadata').fill('b=theirs')
  await other.getByRole('button', { name: 'See what it touches' }).click()
  await other.getByRole('button', { name: 'Apply to version 1' }).click()
  await expect(other.locator('[data-version="2"]')).toBeVisible()

  await page.getByRole('button', { name: 'See what it touches' }).click()
  const conflict = page.locator('[data-conflict]')
  await expect(conflict).toContainText('version 1 is 2 now')
  await expect(conflict.getByRole('region', { name: 'What they changed' })).toContainText('b=theirs')
  await expect(conflict.getByRole('region', { name: 'What you want' })).toContainText('a: 1 → mine')
  await page.getByRole('button', { name: 'Put my changes on version 2' }).click()
  await page.getByRole('button', { name: 'See what it touches' }).click()
  await page.getByRole('button', { name: 'Apply to version 2' }).click()
  await expect(page.locator('[data-version="3"]')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Metadata' })).toContainText('theirs')
  await expect(page.getByRole('region', { name: 'Metadata' })).toContainText('mine')
})

test('one is created and deleted; the name is written to delete it', async ({ page, visit }) => {
  await visit('/aggregates')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByLabel('Name').fill('short-lived')
  await page.getByLabel('Metadata').fill('x=1')
  await page.getByLabel('Hosts').fill('az3-01')
  await page.getByRole('button', { name: 'See what it touches' }).click()
  await expect(page.locator('[data-impact]')).toContainText('1 hosts')
  await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'short-lived', level: 1 })).toBeVisible()
  await page.getByRole('button', { name: 'Delete' }).click()
  const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete' })
  await expect(remove).toBeDisabled()
  await page.getByLabel('Name').fill('short-lived')
  await remove.click()
  await expect(page.getByRole('heading', { name: 'Aggregates', level: 1 })).toBeVisible()
  await expect(page.getByText('short-lived')).toHaveCount(0)
})

test('the pages of aggregates in all their states @looks', async ({ page, visit, axe, service }) => {
  const { fast } = service.seed.aggregates
  const states = [
    { name: 'the list', path: '/aggregates', ready: page.getByRole('grid', { name: 'Aggregates' }) },
    { name: 'a list of none', path: '/aggregates?q=none-such', ready: page.getByText('No aggregate matches') },
    { name: 'a filter that is wrong', path: '/aggregates?q=nope:1', ready: page.getByRole('alert') },
    { name: 'an aggregate', path: `/aggregates/${fast}`, ready: page.getByRole('grid', { name: 'Members' }) },
    { name: 'a draft', path: `/aggregates/${fast}?edit=yes`, ready: page.getByLabel('Add hosts') },
    {
      name: 'one that is not there',
      path: '/aggregates/00000000-0000-4000-8000-000000000000',
      ready: page.getByText('There is no such aggregate'),
    },
  ]
  for (const { name, path, ready } of states) {
    await visit(path)
    await expect(ready.first()).toBeVisible()
    await axe(name)
    await expectNoSidewaysScroll(page, name)
  }
  await visit('/aggregates')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await axe('creating')
})
