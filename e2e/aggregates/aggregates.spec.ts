import { operationOf } from '../calls.ts'
import { expect, test } from '../fixtures.ts'
import { expectRowCount, firstCells, gridOf, rowWith } from '../grid.ts'
import { gather, place, report } from '../seed.ts'
import { READ, type Read } from './read.ts'

test('a row of the list opens the page of the aggregate, which lists exactly its members and finds them by a part of their name', async ({
  page,
  visit,
  service,
}) => {
  await visit('/aggregates?q=name:fast-disks')
  const row = rowWith(page, 'Aggregates', 'fast-disks')
  await expect(row).toContainText('rack=r12')
  await expect(row).toContainText('ssd=true')
  await row.click()
  await expect(page).toHaveURL(`/aggregates/${service.seed.aggregates.fast}`)
  const { aggregate } = await service.client.request<Read>(READ, { uuid: service.seed.aggregates.fast })
  await expect(page.locator('[data-members]')).toHaveAttribute('data-members', String(aggregate?.hostNames.length))
  await expectRowCount(page, 'Members', aggregate?.hostNames.length ?? 0)
  expect((await firstCells(page, 'Members')).sort()).toEqual([...(aggregate?.hostNames ?? [])].sort())
  for (const [key, heading] of [
    ['2', '7 members'],
    ['3', 'History'],
    ['1', 'Metadata'],
  ] as const) {
    await page.keyboard.press(key)
    await expect(page.getByRole('heading', { name: heading, level: 2 })).toBeFocused()
  }
  await page.getByRole('textbox', { name: 'Find a member by part of its name' }).fill('az2')
  await expectRowCount(page, 'Members', 4)
  await page.reload()
  await expectRowCount(page, 'Members', 4)
  await rowWith(page, 'Members', 'az2-04').click()
  await expect(page.getByRole('heading', { name: 'az2-04', level: 1 })).toBeVisible()
})

test('a click on a heading sorts the list, and the URL and the copied rows have the same order', async ({
  page,
  context,
  visit,
  service,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.origin })
  for (const [name, hosts] of Object.entries({
    none: [],
    one: ['az1-01'],
    three: ['az1-01', 'az1-02', 'az1-03'],
    two: ['az1-01', 'az1-02'],
  }))
    await gather(service.client, `sorted-${name}`, { hosts })
  await gather(service.client, '=sorted', { metadata: { kind: 'formula' } })
  await visit('/aggregates?q=name:sorted-*')
  const names = () => firstCells(page, 'Aggregates')
  await expect.poll(names).toEqual(['sorted-none', 'sorted-one', 'sorted-three', 'sorted-two'])
  const members = gridOf(page, 'Aggregates').getByRole('columnheader', { name: 'Members' })
  await members.getByRole('button', { name: 'Members' }).click()
  await expect(page).toHaveURL('/aggregates?q=name:sorted-*&sort=-hosts')
  await expect(members).toHaveAttribute('aria-sort', 'descending')
  await expect.poll(names).toEqual(['sorted-three', 'sorted-two', 'sorted-one', 'sorted-none'])
  await members.getByRole('button', { name: 'Members' }).click()
  await expect(page).toHaveURL('/aggregates?q=name:sorted-*&sort=hosts')
  await expect.poll(names).toEqual(['sorted-none', 'sorted-one', 'sorted-two', 'sorted-three'])
  await page.reload()
  await expect.poll(names).toEqual(['sorted-none', 'sorted-one', 'sorted-two', 'sorted-three'])
  await page.keyboard.press('Y')
  await page.getByRole('menuitem', { name: 'CSV, 4 aggregates' }).click()
  await expect(page.getByText('Copied: CSV')).toBeVisible()
  const [, ...rows] = (await page.evaluate(() => navigator.clipboard.readText())).trim().split(/\r?\n/)
  expect(rows.map((row) => row.split(',')[1])).toEqual(['sorted-none', 'sorted-one', 'sorted-two', 'sorted-three'])
  // A text that begins with = must be escaped, because a spreadsheet would run it as a formula.
  await page.goto('/aggregates?q=key:kind value:formula')
  await expect(rowWith(page, 'Aggregates', '=sorted')).toBeVisible()
  await page.keyboard.press('Y')
  await page.getByRole('menuitem', { name: 'CSV, 1 aggregate' }).click()
  await expect(page.getByText('Copied: CSV, 1 aggregate').last()).toBeVisible()
  expect((await page.evaluate(() => navigator.clipboard.readText())).split(/\r?\n/)[1]).toMatch(/^[^,]+,"?'=sorted/)
  await page.goto('/aggregates?q=name:sorted-*&sort=hosts')
  await gridOf(page, 'Aggregates').getByRole('button', { name: 'Name' }).click()
  await expect(page).toHaveURL('/aggregates?q=name:sorted-*')
  await page.goBack()
  await expect(page).toHaveURL('/aggregates?q=name:sorted-*&sort=hosts')
})

test('an aggregate is created after a preview of its effect, and an unknown host name is reported', async ({ page, visit, service }) => {
  await visit('/aggregates')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Create an aggregate' })
  await dialog.getByLabel('Name').fill('made-here')
  await dialog.getByLabel('Metadata').fill('kind=test')
  await dialog.getByLabel('Hosts').fill('az1-01, az1-03 no-such-host')
  await dialog.getByRole('button', { name: 'Preview the impact' }).click()
  await expect(dialog.getByRole('alert')).toContainText('no-such-host')
  await dialog.getByLabel('Hosts').fill('az1-01, az1-03')
  await dialog.getByRole('button', { name: 'Preview the impact' }).click()
  await expect(dialog.locator('[data-impact]')).toContainText('2 hosts, 0 of them would change their availability zone')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'made-here', level: 1 })).toBeVisible()
  const uuid = new URL(page.url()).pathname.split('/').at(-1)
  const { aggregate } = await service.client.request<Read>(READ, { uuid })
  expect(aggregate).toMatchObject({ name: 'made-here', hostNames: ['az1-01', 'az1-03'], metadata: [{ key: 'kind', value: 'test' }] })
})

test('a drafted edit survives a reload, is previewed and applied', async ({ page, visit, service }) => {
  const uuid = await gather(service.client, 'to-edit', { hosts: ['az1-04'], metadata: { a: '1' } })
  await visit(`/aggregates/${uuid}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  const draft = page.getByRole('region', { name: 'Draft', exact: true })
  await draft.getByLabel('Add hosts').fill('az1-05')
  await draft.getByLabel('Set metadata').fill('a=2')
  await expect(page).toHaveURL(/edit=yes/)
  await page.reload()
  await expect(draft.getByLabel('Add hosts')).toHaveValue('az1-05')
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  await expect(draft.locator('[data-impact]')).toBeVisible()
  expect((await service.client.request<Read>(READ, { uuid })).aggregate?.hostNames).toEqual(['az1-04'])
  await draft.getByRole('button', { name: /^Apply to version/ }).click()
  await expect(draft).toBeHidden()
  await expectRowCount(page, 'Members', 2)
  const { aggregate } = await service.client.request<Read>(READ, { uuid })
  expect(aggregate).toMatchObject({ hostNames: ['az1-04', 'az1-05'], metadata: [{ key: 'a', value: '2' }] })
})

test('before an edit is applied the preview shows its effect on recent requests, each with its decision', async ({
  page,
  visit,
  service,
}) => {
  const { client } = service
  const uuid = await gather(client, 'to-preview', { hosts: ['az1-06'], metadata: { 'preview-tier': 'gold' } })
  const { decisionId, outcome } = await place(client, {
    flavor: 'm1.preview',
    vcpus: 1,
    memoryMb: 256,
    extraSpecs: { 'aggregate_instance_extra_specs:preview-tier': 'gold' },
  })
  expect(outcome).toBe('PLACED')
  await visit(`/aggregates/${uuid}?edit=yes`)
  // Exactly one of the requested flavors has this metadata key in its extra specs.
  await expect(page.locator('[data-key="preview-tier"] [data-named]')).toContainText(/^1 of the \d+ most requested flavors/)
  const draft = page.getByRole('region', { name: 'Draft', exact: true })
  await draft.getByLabel('Set metadata').fill('preview-tier=silver')
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  const replay = draft.getByRole('region', { name: 'Effect on recent requests', exact: true })
  await expect(replay.getByRole('status').first()).toHaveText('1 recent request would newly fail.')
  await expect(replay.locator('[data-room="m1.preview"]')).toContainText('(−100 %)')
  await expect(replay.getByRole('img', { name: /^m1\.preview: [\d,]+ now, 0 with the change$/ })).toBeVisible()
  await expect(replay.locator('[data-otherwise="NEW_FAILURE"]')).toContainText('az1-06')
  await expect(replay.locator('[data-otherwise="NEW_FAILURE"] a')).toHaveAttribute('href', `/decisions/${encodeURIComponent(decisionId)}`)
  // The placed instance is shown too, because with the edit its host would refuse its request.
  const placed = draft.getByRole('region', { name: 'Effect on placed instances', exact: true })
  await expect(placed.locator('[data-warning="aggregate.extra_spec"]')).toContainText('az1-06 holds 1 claim of an instance that')
  await expect(placed.getByRole('link', { name: 'Open az1-06' })).toHaveAttribute('href', '/hosts/az1-06')
  // An edit without effect is shown as such, and no preview has changed the aggregate.
  await draft.getByLabel('Set metadata').fill('preview-rack=r1')
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  await expect(placed.locator('[data-warned="0"]')).toContainText('checked claims would be refused on its host')
  await expect(replay.getByRole('status').first()).toHaveText('No recent request would newly fail.')
  expect((await service.client.request<Read>(READ, { uuid })).aggregate?.metadata).toEqual([{ key: 'preview-tier', value: 'gold' }])
})

test('hosts are added by a filter, the history shows the edit, and reverting it makes a draft', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const uuid = await gather(service.client, 'to-undo', { hosts: ['az1-04'], metadata: { a: '1' } })
  await visit(`/aggregates/${uuid}?edit=yes`)
  const draft = page.getByRole('region', { name: 'Draft', exact: true })
  const history = page.getByRole('region', { name: 'History', exact: true })
  await draft.getByLabel('Add members by filter').fill('host:az1-04,az1-05')
  await draft.getByRole('button', { name: 'Add matching hosts' }).click()
  await expect(draft.locator('[data-added]')).toHaveText('2 hosts match; 1 added.')
  await expect(draft.getByLabel('Add hosts')).toHaveValue('az1-05')
  await draft.getByLabel('Set metadata').fill('a=2')
  await expect(history.getByRole('button', { name: 'Draft a revert of the last edit' })).toHaveCount(0)
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  await draft.getByRole('button', { name: /^Apply to version/ }).click()
  await expect(draft).toBeHidden()
  await expect(history.locator('[data-action]').first()).toContainText('+ a=2, + host az1-05')
  await history.getByRole('button', { name: 'Draft a revert of the last edit' }).click()
  await expect(draft.getByLabel('Remove hosts')).toHaveValue('az1-05')
  await expect(draft.getByLabel('Set metadata')).toHaveValue('a=1')
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  await draft.getByRole('button', { name: /^Apply to version/ }).click()
  await expect(draft).toBeHidden()
  const { aggregate } = await service.client.request<Read>(READ, { uuid })
  expect(aggregate).toMatchObject({ version: 3, hostNames: ['az1-04'], metadata: [{ key: 'a', value: '1' }] })
  // Each of the edits can be reverted, not only the last one.
  await expect(history.locator('[data-action]')).toHaveCount(3)
  await history
    .getByRole('button', { name: /^Draft a return to the state before/ })
    .first()
    .click()
  await expect(draft.getByLabel('Add hosts')).toHaveValue('az1-05')
  await draft.getByRole('button', { name: 'Discard' }).click()
  await draft.waitFor({ state: 'hidden' })
  await service.client.request(
    `mutation Later($uuid: UUID!) {
      aggregateUpdate(uuid: $uuid, ifVersion: 3, input: { addHosts: ["az1-06"], setMetadata: [{ key: "b", value: "1" }] }) { __typename } }`,
    { uuid },
  )
  await page.reload()
  await expect(page.locator('[data-version="4"]')).toBeVisible()
  await expect(history.locator('[data-action]')).toHaveCount(4)
  await history
    .getByRole('button', { name: /^Draft a return to the state before/ })
    .last()
    .click()
  await expect(draft.getByLabel('Remove hosts')).toHaveValue('az1-06')
  await expect(draft.getByLabel('Remove metadata keys')).toHaveValue('b')
  await expect(draft.getByRole('heading', { name: 'Draft on version 4' })).toBeVisible()
})

test('the results of a preview appear below its buttons, and each result is requested once', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const uuid = await gather(service.client, 'to-stand-still', { hosts: ['az1-04'] })
  await visit(`/aggregates/${uuid}?edit=yes`)
  const draft = page.getByRole('region', { name: 'Draft', exact: true })
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let replays = 0
  await page.route('**/graphql', async (route) => {
    if (operationOf(route.request()).includes('mutation AggregateReplay')) {
      replays += 1
      await held
    }
    await route.continue()
  })
  await draft.getByLabel('Set metadata').fill('still=yes')
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  const apply = draft.getByRole('button', { name: /^Apply to version/ })
  const replay = draft.getByRole('region', { name: 'Effect on recent requests', exact: true })
  await expect(draft.locator('[data-impact]')).toBeVisible()
  const before = (await apply.boundingBox())?.y
  release()
  await expect(replay.locator('[data-replayed]')).toBeVisible()
  expect((await apply.boundingBox())?.y).toBe(before)
  await apply.click()
  await expect(draft).toBeHidden()
  expect((await service.client.request<Read>(READ, { uuid })).aggregate?.metadata).toEqual([{ key: 'still', value: 'yes' }])
  expect(replays).toBe(1)
})

test('unknown host names are reported, with the count of the names that are left out', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const known = ['az1-04', 'az1-05', 'az1-06']
  const uuid = await gather(service.client, 'pasted', { hosts: ['az1-04'] })
  await visit(`/aggregates/${uuid}?edit=yes`)
  const draft = page.getByRole('region', { name: 'Draft', exact: true })
  const refusal = draft.getByRole('alert')
  const nobody = (count: number) => Array.from({ length: count }, (_, i) => `nobody-${i}`)
  // The names are separated by commas, because a browser writes thousands of lines into a field slowly.
  await draft.getByLabel('Add hosts').fill([...known, ...nobody(5_000)].join(', '))
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  await expect(refusal.getByRole('listitem')).toHaveCount(50)
  await expect(refusal).toContainText('and 4,950 more.')
  await draft.getByLabel('Add hosts').fill([...known, ...nobody(3)].join(', '))
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  await expect(refusal.getByRole('listitem')).toHaveCount(3)
  for (const name of nobody(3)) await expect(refusal).toContainText(name)
})

test('the preview counts the hosts and claims that exist after the edit', async ({ page, visit, service }) => {
  const { client } = service
  await report(client, { 'counted-0': {}, 'counted-1': {}, 'counted-2': {} })
  const uuid = await gather(client, 'counted', { hosts: ['counted-0', 'counted-1'], metadata: { 'counted-tier': 'x' } })
  const ask = { flavor: 'm1.counted', vcpus: 1, memoryMb: 256, extraSpecs: { 'aggregate_instance_extra_specs:counted-tier': 'x' } }
  for (let i = 0; i < 3; i++) expect((await place(client, ask)).outcome).toBe('PLACED')
  await visit(`/aggregates/${uuid}?edit=yes`)
  const draft = page.getByRole('region', { name: 'Draft', exact: true })
  await draft.getByLabel('Add hosts').fill('counted-2')
  await draft.getByLabel('Set metadata').fill('availability_zone=counted')
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  await expect(draft.locator('[data-impact]')).toContainText(
    '3 hosts, 3 of them would change their availability zone; they hold 3 live claims.',
  )
  await draft.getByRole('button', { name: /^Apply to version/ }).click()
  await expect(draft).toBeHidden()
  await expectRowCount(page, 'Members', 3)
  await page.goto('/hosts?view=table&q=az:counted')
  await expectRowCount(page, 'Hosts', 3)
  await page.goto('/claims?q=host:counted-*')
  await expectRowCount(page, 'Claims', 3)
})

test('members show whether they accept new instances', { tag: '@rare' }, async ({ page, visit, service }) => {
  await visit(`/aggregates/${service.seed.aggregates.az1}`)
  for (const word of ['up', 'disabled', 'az1']) await expect(rowWith(page, 'Members', 'az1-02')).toContainText(word)
  await expect(rowWith(page, 'Members', 'az1-03')).toContainText('enabled')
  const { aggregate } = await service.client.request<Read>(READ, { uuid: service.seed.aggregates.az1 })
  await page.getByRole('link', { name: 'Show in Hosts' }).click()
  await expectRowCount(page, 'Hosts', aggregate?.hostNames.length ?? 0)
})

test('an aggregate is deleted only after its name was typed', async ({ page, visit, service }) => {
  const uuid = await gather(service.client, 'to-delete', { hosts: ['az1-04'] })
  await visit(`/aggregates/${uuid}`)
  await page.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete to-delete' })
  const remove = dialog.getByRole('button', { name: 'Delete' })
  await expect(dialog.locator('[data-impact]')).toBeVisible()
  await expect(remove).toBeDisabled()
  await dialog.getByLabel('Name').fill('to-delete')
  await remove.click()
  await expect(page).toHaveURL('/aggregates')
  expect((await service.client.request<Read>(READ, { uuid })).aggregate).toBeNull()
})

test('appearance: the list, an aggregate, its draft, creating and deleting one @looks', { tag: '@rare' }, async ({
  page,
  visit,
  look,
  service,
}) => {
  const one = `/aggregates/${service.seed.aggregates.fast}`
  await visit('/aggregates')
  await expect(rowWith(page, 'Aggregates', 'zone-az1')).toBeVisible()
  await look('aggregates')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page.getByRole('dialog', { name: 'Create an aggregate' })).toBeVisible()
  await look('creating an aggregate')
  await page.goto(one)
  await expect(page.getByRole('heading', { name: 'fast-disks', level: 1 })).toBeVisible()
  await look('an aggregate')
  await page.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await look('deleting an aggregate')
  await page.goto(`${one}?edit=yes`)
  const draft = page.getByRole('region', { name: 'Draft', exact: true })
  await draft.getByLabel('Add hosts').fill('az1-07')
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  await expect(draft.locator('[data-impact]')).toBeVisible()
  await expect(draft.locator('[data-replayed]')).toBeVisible()
  await look('the draft of an aggregate')
  await page.goto('/aggregates/00000000-0000-4000-8000-000000000000')
  await expect(page.getByRole('heading', { name: 'Aggregate not found' })).toBeVisible()
  await look('no such aggregate')
})
