import { expect, test } from '../fixtures.ts'
import { expectRowCount, firstCells, gridOf, numberIn, rowWith } from '../grid.ts'
import { expectNoSidewaysScroll } from '../layout.ts'
import { report } from '../seed.ts'
import { filterOf, found, IN_SIGHT, namesOf } from './lists.ts'

test('every count of a facet equals that of the API, and links to exactly as many hosts', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  await visit('/hosts?view=table')
  const facets = page.getByRole('navigation', { name: 'Facets' }).getByRole('button', { pressed: false })
  await expect(facets.first()).toBeVisible()
  const all = await facets.evaluateAll((buttons) =>
    buttons.flatMap((button) => (button.hasAttribute('aria-pressed') ? (button.getAttribute('title') ?? '') : [])),
  )
  expect(all.length).toBeGreaterThan(8)
  const inAll = (await found(page).getAttribute('data-count')) ?? ''
  for (const value of all) {
    const facet = page.getByRole('navigation', { name: 'Facets' }).getByTitle(value, { exact: true }).first()
    const count = numberIn(await facet.locator('.number').textContent())
    await facet.click()
    await expect(found(page)).toHaveAttribute('data-count', String(count))
    await expectRowCount(page, 'Hosts', count)
    const query = new URL(page.url()).searchParams.get('q') ?? ''
    const names = await namesOf(service.client, query)
    expect(names).toHaveLength(count)
    const shown = await firstCells(page, 'Hosts')
    // Only visible rows exist in the document, so of a longer list only these rows are compared.
    if (count <= IN_SIGHT) expect(shown.sort()).toEqual(names.sort())
    else expect(names).toEqual(expect.arrayContaining(shown))
    await facet.click()
    await expect(page).toHaveURL('/hosts?view=table')
    // The counts of the facets follow the URL with a delay, so the next one is read only after the list has all hosts again.
    await expect(found(page)).toHaveAttribute('data-count', inAll)
  }
})

for (const [q, value] of [
  ['az:az1', 'az2'],
  ['az:az*', 'az1'],
  ['-agg:fast-disks', 'fast-disks'],
  ['status!=ENABLED', 'ENABLED'],
  ['agg:zone-az1 az:az1', 'fast-disks'],
] as const)
  test(`the facet ${value} links to as many hosts as it counts, with the filter ${q}`, { tag: q.startsWith('az') ? [] : '@rare' }, async ({
    page,
    visit,
  }) => {
    await visit(`/hosts?view=table&q=${encodeURIComponent(q)}`)
    const facet = page.getByRole('navigation', { name: 'Facets' }).getByTitle(value, { exact: true })
    const count = numberIn(await facet.locator('.number').textContent())
    await facet.click()
    await expect(facet).toHaveAttribute('aria-pressed', 'true')
    await expectRowCount(page, 'Hosts', count)
    await expect(found(page)).toHaveAttribute('data-count', String(count))
  })

test('a click with Shift adds a value of a facet to the filter', async ({ page, visit }) => {
  await visit('/hosts?view=table&q=az:az1')
  const facets = page.getByRole('navigation', { name: 'Facets' })
  await facets.getByTitle('az2', { exact: true }).click({ modifiers: ['Shift'] })
  await expect(page).toHaveURL(/q=az:az1,az2/)
  await expectRowCount(page, 'Hosts', 12)
  await facets.getByTitle('az1', { exact: true }).focus()
  await page.keyboard.press('Shift+Enter')
  await expectRowCount(page, 'Hosts', 4)
})

test('unknown query parameters in a URL are ignored', async ({ page, visit }) => {
  for (const search of ['view=xx&group=yy&colour=zz&no=such', 'sort=constructor', 'sort=-nonsense', 'q=%E0%A4%A&sort=%00']) {
    await visit(`/hosts?${search}`)
    await expect(found(page)).toBeVisible()
    await expect(page.getByRole('alert')).toBeHidden()
  }
  await visit('/hosts/az2-01?sheet=nonsense')
  await expect(page.getByRole('table', { name: 'Usage by resource class' })).toBeVisible()
})

test('a filter is applied while it is typed, and Back undoes it', async ({ page, visit }) => {
  await visit('/hosts?view=table')
  await expect(gridOf(page, 'Hosts')).toBeVisible()
  const all = await found(page).getAttribute('data-count')
  await page.keyboard.press('/')
  await expect(filterOf(page)).toBeFocused()
  await page.keyboard.type('az:az1 status:DISABLED')
  await page.keyboard.press('Enter')
  await expect(found(page)).toHaveAttribute('data-count', '1')
  await expect.poll(() => firstCells(page, 'Hosts')).toEqual(['az1-02'])
  await expect(page).toHaveURL(/q=az:az1/)
  await page.getByRole('button', { name: 'Clear the filter' }).click()
  await expect(found(page)).toHaveAttribute('data-count', String(all))
  await page.goBack()
  await expect(found(page)).toHaveAttribute('data-count', '1')
})

test('the terms of a filter are shown below it, and each can be edited, removed by its button or by Delete, and restored by Back', {
  tag: '@rare',
}, async ({ page, visit }) => {
  const chips = page.getByRole('list', { name: 'Filter hosts: terms' }).getByRole('listitem')
  const chip = (written: string) => page.locator(`[data-term='${written}']`)
  await visit(`/hosts?view=table&q=${encodeURIComponent('az:az1 -agg:"with  space" status:ENABLED')}`)
  await expect(chips).toHaveText(['az:az1', '-agg:"with  space"', 'status:ENABLED'])
  await page.getByRole('button', { name: 'Remove status:ENABLED' }).click()
  await expect(chips).toHaveCount(2)
  await expect(filterOf(page)).toHaveValue('az:az1 -agg:"with  space"')
  await expect(chip('-agg:"with  space"')).toBeFocused()
  await page.goBack()
  await expect(chips).toHaveCount(3)

  await filterOf(page).focus()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Clear the filter' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(chip('az:az1')).toBeFocused()
  await page.keyboard.press('Delete')
  await expect(filterOf(page)).toHaveValue('-agg:"with  space" status:ENABLED')
  await expect(chip('-agg:"with  space"')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(filterOf(page)).toBeFocused()
  await page.keyboard.type('az:az2')
  await expect(chips).toHaveText(['az:az2', 'status:ENABLED'])
  await page.keyboard.press('Enter')
  // A key that is held down repeats before the list is updated.
  await page.goto('/hosts?q=up+up+az:az1+status:ENABLED')
  await expect(chips).toHaveCount(4)
  await chip('up').first().focus()
  await page.evaluate(() => {
    for (let i = 0; i < 2; i++)
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Delete', bubbles: true, cancelable: true }))
  })
  await expect(chips).toHaveText(['az:az1', 'status:ENABLED'])
  await page.goto('/hosts?q=up+up+az:az1+status:ENABLED')
  await chip('up').first().press('Delete')
  await expect(chips).toHaveCount(3)
  await expect(chip('up')).toBeFocused()
  await page.goto('/hosts?q=az:az2+status:ENABLED')
  await chip('status:ENABLED').press('Backspace')
  await expect(chip('az:az2')).toBeFocused()
  await chip('az:az2').press('Delete')
  await expect(filterOf(page)).toBeFocused()
  await expect(chips).toHaveCount(0)
})

test('the terms of a filter take at most two lines, and the list leaves space for them', { tag: '@rare' }, async ({ page, visit }) => {
  const many = Array.from({ length: 40 }, (_, i) => `-agg:none-of-them-${i}`).join(' ')
  await visit(`/hosts?view=table&q=${encodeURIComponent(many)}`)
  const chips = page.getByRole('list', { name: 'Filter hosts: terms' })
  await expect(chips).toBeVisible()
  await expect(gridOf(page, 'Hosts')).toBeVisible()
  const { height = 0, y = 0 } = (await chips.boundingBox()) ?? {}
  expect(height).toBe(52)
  expect((await gridOf(page, 'Hosts').boundingBox())?.y).toBeGreaterThan(y + height)
  const beyond = () =>
    page.evaluate(() => {
      const { scrollWidth, scrollHeight, clientWidth, clientHeight } = document.documentElement
      return [scrollWidth - clientWidth, scrollHeight - clientHeight]
    })
  await expect.poll(beyond).toEqual([0, 0])
})

test('an invalid filter is reported at its field, and the list is unchanged', async ({ page, visit }) => {
  await visit('/hosts?view=table')
  await expect(gridOf(page, 'Hosts')).toBeVisible()
  const all = await found(page).getAttribute('data-count')
  await filterOf(page).fill('mem.fre>=60GiB')
  await filterOf(page).blur()
  await expect(page.getByText('mem.fre', { exact: false }).last()).toBeVisible()
  await expect(filterOf(page)).toHaveAttribute('aria-invalid', 'true')
  await expect(found(page)).toHaveAttribute('data-count', String(all))
})

test('hosts are counted, found, sorted, grouped and compared by their reported CPUs, including hosts that report none', {
  tag: ['@colours', '@rare'],
}, async ({ page, visit, service, look }) => {
  const of = (model: string) => ({
    hypervisorType: 'QEMU',
    hypervisorVersion: 8_002_000,
    cpuInfo: { arch: 'x86_64', vendor: 'AMD', model },
  })
  await report(service.client, { 'kind-1': of('EPYC Milan'), 'kind-2': of('EPYC Rome'), 'kind-3': {}, 'kind-4': of('EPYC Rome') })
  await visit('/hosts?cols=host,cpu.model,hypervisor.version')
  const facet = page.getByRole('navigation', { name: 'Facets' }).getByRole('region', { name: 'CPU model' })
  await expect(facet.getByRole('button')).toHaveText([/^not reported/, 'EPYC Rome 2', 'EPYC Milan 1'])
  const counts = await facet.locator('.number').allTextContents()
  const total = await found(page).getAttribute('data-count')
  expect(counts.reduce((sum, count) => sum + numberIn(count), 0)).toBe(Number(total))
  for (const [title, count, query] of [
    ['EPYC Rome', 2, 'cpu.model:"EPYC Rome"'],
    ['CPU model not reported', Number(total) - 3, '-cpu.model:*'],
  ] as const) {
    await facet.getByTitle(title, { exact: true }).click()
    await expect(filterOf(page)).toHaveValue(query)
    await expectRowCount(page, 'Hosts', count)
    expect(await namesOf(service.client, query)).toHaveLength(count)
  }

  await visit('/hosts?q=host:kind-*&cols=host,cpu.model&group=cpu.model&compare=yes')
  await gridOf(page, 'Hosts').getByRole('button', { name: 'CPU model' }).click()
  // Hosts without a reported value are first, as in the API.
  await expect.poll(() => firstCells(page, 'Hosts')).toEqual(['kind-3', 'kind-1', 'kind-2', 'kind-4'])
  await expect(rowWith(page, 'Hosts', 'kind-3')).toContainText('not reported')
  for (const name of ['kind-2', 'kind-4']) await rowWith(page, 'Hosts', name).getByRole('checkbox').click()
  await expect(page.locator('[data-inside="2"][data-outside="2"]')).toBeVisible()
  const first = page.getByRole('region', { name: 'Compare' }).getByRole('region', { name: /^\S+$/ }).first()
  await expect(first).toHaveAccessibleName('cpu.model')
  await expect(first).toContainText('differs by 100 %')
  await look('hosts by the model of their CPUs, compared')
  await page
    .getByRole('region', { name: 'Map' })
    .getByRole('button', { name: /^EPYC Rome.*2 hosts/ })
    .click()
  await expectRowCount(page, 'Hosts', 2)
  await visit('/hosts/kind-1')
  await page.getByRole('link', { name: 'CPU model EPYC Milan: similar hosts' }).click()
  await expect(filterOf(page)).toHaveValue('cpu.model:"EPYC Milan"')
  await expectRowCount(page, 'Hosts', 1)
})

test('a trait that is too long is refused in the filter and in a simulation, and does not overflow the page', { tag: '@rare' }, async ({
  page,
  visit,
  provokes,
}) => {
  provokes(400)
  const trait = 'X'.repeat(10_000)
  await visit('/hosts')
  await expect(gridOf(page, 'Hosts')).toBeVisible()
  await filterOf(page).fill(`trait:${trait}`)
  await filterOf(page).blur()
  await expect(page.getByText('the filter has 10006 characters; ')).toBeVisible()
  await expect(filterOf(page)).toHaveAttribute('aria-invalid', 'true')
  await expect(gridOf(page, 'Hosts')).toBeVisible()
  await expectNoSidewaysScroll(page, 'the hosts')
  await page.goto('/simulate')
  await page.getByLabel('Extra specs').fill(`trait:${trait}=required`)
  await page.getByRole('button', { name: 'Run' }).click()
  await expect(
    page
      .getByRole('main')
      .getByText(/at most 255 characters/)
      .first(),
  ).toBeVisible()
  await expectNoSidewaysScroll(page, 'the simulation')
})
