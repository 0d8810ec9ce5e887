import type { Client } from '@gantt/client'
import { expect, type Page } from './fixtures.ts'
import { expectRowCount, firstCells, gridOf, inWords, numberIn, rowsOf, rowWith } from './grid.ts'
import { hostsWhere, isInQuarter, LARGE, LONGER_MS, test, ZONES, zoneOf } from './large-fleet.ts'

// What operators rely on page by page, on as many hosts as GANTT_LARGE_FLEET says: counts are the API's and open exactly what they
// count, sums are whole, of long lists only the rows in sight exist, and the address is the view. Nothing here changes the fleet.

test.describe.configure({ timeout: 120_000 + LONGER_MS })

/** As many rows as exist at most, whatever a list has. */
const MOST_ROWS = 100
const QUARTER = hostsWhere(isInQuarter)

const found = (page: Page) => page.getByRole('main').locator('[data-count]').first()

/** How many the API counts in a list: `hosts`, `decisions`, `claims`, `auditLog`, `aggregates`. */
async function countOf(client: Client, list: string, query = ''): Promise<number> {
  const { counted } = await client.request<{ counted: { totalCount: number } }>(
    `query Count($query: String) { counted: ${list}(first: 1, query: $query) { totalCount } }`,
    { query },
  )
  return counted.totalCount
}

/** So many rows, of which those in sight exist; End reaches the last of them, and Home the first. */
async function expectVirtual(page: Page, label: string, count: number): Promise<void> {
  await expectRowCount(page, label, count)
  const grid = gridOf(page, label)
  await grid.focus()
  await page.keyboard.press('End')
  await expect(rowsOf(page, label).last()).toHaveAttribute('aria-rowindex', String(count + 1))
  expect(await rowsOf(page, label).count(), `rows of ${label} that exist`).toBeLessThan(MOST_ROWS)
  await page.keyboard.press('Home')
  await expect(rowsOf(page, label).first()).toHaveAttribute('aria-rowindex', '2')
}

/** A list that loads as one goes down has so many rows in the end. */
async function expectLoaded(page: Page, label: string, count: number): Promise<void> {
  await expect(found(page)).toHaveAttribute('data-count', String(count))
  const grid = gridOf(page, label)
  await grid.focus()
  await expect
    .poll(async () => {
      await grid.press('End')
      return rowsOf(page, label).last().getAttribute('aria-rowindex')
    })
    .toBe(String(count + 1))
  await expectRowCount(page, label, count)
  expect(await rowsOf(page, label).count(), `rows of ${label} that exist`).toBeLessThan(MOST_ROWS)
}

/** The memory that hosts have free, in MiB, in the order of the names. */
async function memoryFreeOf(client: Client, names: readonly string[]): Promise<number[]> {
  const { hosts } = await client.request<{
    hosts: { nodes: readonly { name: string; capacity: readonly { resourceClass: string; free: number }[] }[] }
  }>('query Free($query: String!) { hosts(first: 500, query: $query) { nodes { name capacity { resourceClass free } } } }', {
    query: `host:${names.join(',')}`,
  })
  const free = new Map(
    hosts.nodes.map(({ name, capacity }) => [name, capacity.find(({ resourceClass }) => resourceClass === 'MEMORY_MB')?.free]),
  )
  return names.map((name) => free.get(name) ?? -1)
}

/** More than one amount, the largest first. */
const isByMemory = (amounts: readonly number[]): boolean =>
  amounts.length > 1 && amounts.every((amount, i) => amount >= 0 && amount <= (amounts[i - 1] ?? amount))

interface Totals {
  readonly fleet: {
    readonly hostCount: number
    readonly totals: readonly {
      readonly key: string
      readonly hosts: number
      readonly usage: readonly { readonly resourceClass: string; readonly used: number; readonly capacity: number }[]
    }[]
  }
}

test('overview: the zones are as full as their hosts, add up to the fleet, and open exactly these', async ({
  page,
  visit,
  large,
  look,
}) => {
  await visit('/overview')
  const { fleet } = await large.client.request<Totals>('{ fleet { hostCount totals { key hosts usage { resourceClass used capacity } } } }')
  expect(fleet.hostCount).toBe(LARGE)
  expect(fleet.totals.map(({ key }) => key)).toEqual(ZONES)
  expect(fleet.totals.reduce((sum, { hosts }) => sum + hosts, 0)).toBe(LARGE)
  for (const { key, hosts, usage } of fleet.totals) {
    await expect(page.locator(`[data-zone="${key}"][data-class]`).first()).toContainText(`${key}${inWords(hosts)}`)
    for (const { resourceClass, used, capacity } of usage)
      await expect(page.locator(`[data-zone="${key}"][data-class="${resourceClass}"]`)).toContainText(
        `${Math.round((100 * used) / capacity)} %`,
      )
  }
  await look('the overview of a large fleet')
  await page.getByRole('link', { name: `${inWords(LARGE)} hosts are UP: open them` }).click()
  await expectRowCount(page, 'Hosts', LARGE)
  await page.goBack()
  await page.getByRole('link', { name: 'az2', exact: true }).click()
  await expectRowCount(page, 'Hosts', fleet.totals[1]?.hosts ?? -1)
})

test('overview: every reason opens as many decisions as it counts, and what is asked most fits as often as the API says', async ({
  page,
  visit,
  large,
}) => {
  await visit('/overview')
  const reasons = page.locator('[data-code]')
  await expect(reasons.first()).toBeVisible()
  const codes = await reasons.evaluateAll((rows) => rows.map((row) => row.getAttribute('data-code') ?? ''))
  expect(codes.length).toBeGreaterThan(1)
  for (const code of codes) {
    const link = page.locator(`[data-code="${code}"]`).getByRole('link')
    const count = numberIn(await link.textContent())
    await link.click()
    await expect(page).toHaveURL(/\/decisions\?/)
    await expectLoaded(page, 'Decisions', count)
    await page.goBack()
    await expect(link).toBeVisible()
  }
  const { capacity } = await large.client.request<{ capacity: { fits: number; groups: readonly { key: string; fits: number }[] } }>(
    '{ capacity(input: { spec: { gantt: { flavor: { name: "m1.broad", vcpus: 12, memoryMb: 40960 } } } }) { fits groups { key fits } } }',
  )
  // a small fleet may be full
  if (LARGE >= 1_000) expect(capacity.fits).toBeGreaterThan(0)
  expect(capacity.groups.reduce((sum, { fits }) => sum + fits, 0)).toBe(capacity.fits)
  const row = page.locator('[data-flavor="m1.broad"]')
  const counted = row.locator('[data-fits]')
  await expect(counted).toBeVisible()
  // the page counts for five seconds at most: on a larger fleet, or a busy machine, it may have seen a part, and says so
  const isPart = ((await counted.textContent()) ?? '').startsWith('at least ')
  const shown = [
    [counted, capacity.fits],
    ...capacity.groups.map(({ key, fits }) => [row.locator(`[data-zone="${key}"]`), fits] as const),
  ] as const
  for (const [cell, fits] of shown) {
    const number = numberIn(await cell.textContent())
    expect(number).toBeLessThanOrEqual(fits)
    if (!isPart) expect(number).toBe(fits)
  }
  if (LARGE >= 1_000) expect(numberIn(await counted.textContent())).toBeGreaterThan(0)
})

test('hosts: a table of all of them, of which few rows exist; End is the last, and the address is the view', async ({
  page,
  visit,
  large,
  look,
}) => {
  await visit('/hosts?view=table')
  await expect(found(page)).toHaveAttribute('data-count', String(LARGE))
  await expectVirtual(page, 'Hosts', LARGE)
  expect((await firstCells(page, 'Hosts'))[0]).toBe(large.names[0])
  await gridOf(page, 'Hosts').press('End')
  await expect.poll(async () => (await firstCells(page, 'Hosts')).at(-1)).toBe(large.names.at(-1))
  await look('the table of a large fleet')
  await gridOf(page, 'Hosts').getByRole('button', { name: 'Memory free' }).click()
  await expect(page).toHaveURL(/sort=-mem\.free/)
  const shown = async () => (await firstCells(page, 'Hosts')).slice(0, 10)
  await expect.poll(async () => isByMemory(await memoryFreeOf(large.client, await shown()))).toBe(true)
  const names = await shown()
  const [most = 0] = await memoryFreeOf(large.client, names)
  expect(await countOf(large.client, 'hosts', `mem.free>${most}MiB`)).toBe(0)
  await page.reload()
  await expect.poll(shown).toEqual(names)
})

test('hosts: every count of a facet is the API’s, and opens exactly that many', async ({ page, visit, large }) => {
  await visit('/hosts?view=table')
  const facets = page.getByRole('navigation', { name: 'Facets' })
  await expect(facets.getByTitle('fast-disks', { exact: true }).locator('.number')).toHaveText(inWords(QUARTER))
  const values = await facets
    .locator('button[aria-pressed]')
    .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('title') ?? ''))
  expect(values.length).toBeGreaterThan(12)
  for (const value of values) {
    const facet = facets.getByTitle(value, { exact: true })
    const count = numberIn(await facet.locator('.number').textContent())
    await facet.click()
    await expect(found(page)).toHaveAttribute('data-count', String(count))
    await expectRowCount(page, 'Hosts', count)
    expect(await countOf(large.client, 'hosts', new URL(page.url()).searchParams.get('q') ?? ''), value).toBe(count)
    await facet.click()
    await expect(page).toHaveURL('/hosts?view=table')
    await expect(found(page)).toHaveAttribute('data-count', String(LARGE))
  }
})

test('hosts: each word that is typed narrows the list as the API would, and the address keeps it', async ({ page, visit, large }) => {
  await visit('/hosts?view=table')
  await expectRowCount(page, 'Hosts', LARGE)
  await page.keyboard.press('/')
  let typed = ''
  let before = LARGE
  for (const word of ['az:az2', ' status:ENABLED', ' mem.free>=40GiB', ' -agg:fast-disks', ' trait:HW_CPU_X86_AVX512F']) {
    await page.keyboard.type(word)
    typed += word
    const count = await countOf(large.client, 'hosts', typed)
    await expect(found(page), typed).toHaveAttribute('data-count', String(count))
    // of few hosts there may be none that a word takes away
    expect(count, typed).toBeLessThan(LARGE >= 1_000 ? before : before + 1)
    before = count
  }
  for (const _ of ' trait:HW_CPU_X86_AVX512F') await page.keyboard.press('Backspace')
  const count = await countOf(large.client, 'hosts', 'az:az2 status:ENABLED mem.free>=40GiB -agg:fast-disks')
  await expect(found(page)).toHaveAttribute('data-count', String(count))
  await page.keyboard.press('Enter')
  const address = page.url()
  await page.reload()
  await expectRowCount(page, 'Hosts', count)
  expect(page.url()).toBe(address)
})

test('hosts: all that match are chosen by a step of its own, stay chosen, and what a status would touch is counted', async ({
  page,
  visit,
  large,
  look,
}) => {
  await visit('/hosts?view=table&q=agg:fast-disks')
  await expectRowCount(page, 'Hosts', QUARTER)
  await gridOf(page, 'Hosts').focus()
  for (const key of ['j', 'x']) await page.keyboard.press(key)
  await expect(page.locator('[data-chosen="1"]')).toBeVisible()
  await page.getByRole('button', { name: `Choose all ${inWords(QUARTER)} matching` }).click()
  await expect(page.locator(`[data-chosen="${QUARTER}"]`)).toBeVisible()
  await page.getByRole('button', { name: 'Clear the filter' }).click()
  await expectRowCount(page, 'Hosts', LARGE)
  await expect(page.locator(`[data-chosen="${QUARTER}"]`)).toBeVisible()
  await page.getByRole('button', { name: 'Set status ...' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.locator(`[data-hosts="${QUARTER}"]`)).toBeVisible()
  await dialog.getByLabel('Reason').fill('would its racks be moved')
  await dialog.getByRole('button', { name: 'Preview the impact' }).click()
  await expect(dialog.getByRole('status')).toContainText(`${inWords(QUARTER)} hosts with`)
  await look('a status for a quarter of a large fleet')
  const disabled = await countOf(large.client, 'hosts', 'status:DISABLED')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
  expect(await countOf(large.client, 'hosts', 'status:DISABLED')).toBe(disabled)
})

test('hosts: the map has them all, its headings add up and open what they count, and its cursor opens a cell', async ({
  page,
  visit,
  look,
}) => {
  await visit('/hosts?view=map')
  const map = page.getByRole('application', { name: `Map of ${inWords(LARGE)} hosts` })
  await expect(map).toBeVisible()
  const headings = page.getByRole('region', { name: 'Map' }).getByRole('button', { name: / hosts, / })
  await expect(headings).toHaveCount(ZONES.length)
  const counts = (await headings.allTextContents()).map((text) => numberIn(/\S+ hosts,/.exec(text)?.[0] ?? null))
  expect(counts).toEqual(ZONES.map((_, zone) => hostsWhere((i) => zoneOf(i) === zone)))
  await map.focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.locator('[data-cell-line]')).toContainText(/^cmp-\d+: az1/)
  await look('the map of a large fleet')
  const name = /^cmp-\d+/.exec((await page.locator('[data-cell-line]').textContent()) ?? '')?.[0] ?? ''
  await map.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  await page.goBack()
  await headings.nth(2).click()
  await expect(found(page)).toHaveAttribute('data-count', String(counts[2]))
})

test('hosts: at an earlier revision there are those that had reported by then', async ({ page, visit, large }) => {
  await visit(`/hosts?view=table&at=${large.early.revision}`)
  await expectVirtual(page, 'Hosts', large.early.hosts)
  await gridOf(page, 'Hosts').press('End')
  await expect.poll(async () => (await firstCells(page, 'Hosts')).at(-1)).toBe(large.names[large.early.hosts - 1])
})

test('a host: its sums are the API’s, its claims as many as their count, and [ and ] go through a long list', async ({
  page,
  visit,
  large,
  look,
}) => {
  const host = large.placed.hosts[0] ?? ''
  await visit(`/hosts/${host}`)
  const { host: read } = await large.client.request<{
    host: { claims: { totalCount: number }; capacity: readonly Readonly<Record<string, number | string>>[] }
  }>(
    'query Sums($host: String!) { host(name: $host) { claims { totalCount } capacity { resourceClass total reserved capacity used claimed free } } }',
    { host },
  )
  const table = page.getByRole('table', { name: 'Usage by resource class' })
  await expect(table.getByRole('rowheader')).toHaveCount(read.capacity.length)
  for (const { resourceClass, total, reserved, capacity, used, claimed, free } of read.capacity) {
    const row = table.getByRole('row').filter({ has: page.getByRole('rowheader', { name: String(resourceClass), exact: true }) })
    const shown = await row.locator('[data-value]').evaluateAll((cells) => cells.map((cell) => Number(cell.getAttribute('data-value'))))
    expect(shown, String(resourceClass)).toEqual([total, reserved, capacity, used, claimed, free])
  }
  await look('a host of a large fleet')
  await page.getByRole('tab', { name: `Claims (${read.claims.totalCount})` }).click()
  await expect(page.getByRole('table', { name: 'Live claims' }).getByRole('row')).toHaveCount(read.claims.totalCount + 1)

  await page.goto('/hosts?view=table&sort=-host')
  await gridOf(page, 'Hosts').focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: large.names[0] ?? '', level: 1 })).toBeVisible()
  await page.keyboard.press('[')
  await expect(page.getByRole('heading', { name: large.names[1] ?? '', level: 1 })).toBeVisible()
})

test('aggregates: their members are counted; one of a quarter of the fleet has them all, finds some, and leads to them', async ({
  page,
  visit,
  large,
  look,
}) => {
  await visit('/aggregates')
  await expect(found(page)).toHaveAttribute('data-count', String(await countOf(large.client, 'aggregates')))
  for (const [zone, name] of ZONES.entries())
    await expect(rowWith(page, 'Aggregates', `zone-${name}`)).toContainText(inWords(hostsWhere((i) => zoneOf(i) === zone)))
  await look('the aggregates of a large fleet')
  await rowWith(page, 'Aggregates', 'fast-disks').click()
  await expect(page).toHaveURL(`/aggregates/${large.quarter}`)
  await expect(page.locator('[data-members]')).toHaveAttribute('data-members', String(QUARTER))
  await expectVirtual(page, 'Members', QUARTER)
  await expect(rowsOf(page, 'Members').first()).toContainText('az1')
  await look('an aggregate of a quarter of a large fleet')
  const part = `${large.names[0]?.slice(0, -2)}`
  await page.getByRole('textbox', { name: 'Find a member by part of its name' }).fill(part)
  const hits = large.names.filter((name, i) => isInQuarter(i) && name.includes(part)).length
  await expectRowCount(page, 'Members', hits)
  await page.reload()
  await expectRowCount(page, 'Members', hits)
  await page.getByRole('link', { name: 'Show in Hosts' }).click()
  await expectRowCount(page, 'Hosts', QUARTER)
})

interface Impact {
  readonly hostsAffected: number
  readonly azChanges: number
  readonly claimsOnAffectedHosts: number
}

test('an aggregate: what an edit of a quarter of the fleet would touch is the API’s count, and nothing of it happens', async ({
  page,
  visit,
  large,
  look,
}) => {
  const { client, quarter } = large
  const { aggregate } = await client.request<{ aggregate: { version: number } }>(
    'query Version($uuid: UUID!) { aggregate(uuid: $uuid) { version } }',
    { uuid: quarter },
  )
  const { aggregateUpdate } = await client.request<{ aggregateUpdate: { impact: Impact } }>(
    `mutation Try($uuid: UUID!, $version: Int!) {
      aggregateUpdate(uuid: $uuid, ifVersion: $version, dryRun: true, input: { setMetadata: [{ key: "ssd", value: "false" }] }) {
        ... on AggregatePayload { impact { hostsAffected azChanges claimsOnAffectedHosts } } } }`,
    { uuid: quarter, version: aggregate.version },
  )
  const { hostsAffected, azChanges, claimsOnAffectedHosts } = aggregateUpdate.impact
  expect(hostsAffected).toBe(QUARTER)
  await visit(`/aggregates/${quarter}?edit=yes`)
  const draft = page.getByRole('region', { name: 'Draft', exact: true })
  await draft.getByLabel('Set metadata').fill('ssd=false')
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  await expect(draft.locator('[data-impact]')).toContainText(
    `${inWords(hostsAffected)} hosts, ${inWords(azChanges)} of them would change their availability zone; ` +
      `they hold ${inWords(claimsOnAffectedHosts)} live claims`,
  )
  // it ends after ten seconds, with as many requests as there was time for
  await expect(draft.locator('[data-replayed]')).toBeVisible({ timeout: 30_000 })
  await look('what an edit of a quarter of a large fleet would touch')
  await draft.getByRole('button', { name: 'Discard' }).click()
  await expect(page.locator(`[data-version="${aggregate.version}"]`)).toBeVisible()
})

test('an aggregate: a zone’s hosts are drafted into it by a filter, looked at, and dropped', async ({ page, visit, large }) => {
  const zone = hostsWhere((i) => zoneOf(i) === 0)
  const added = hostsWhere((i) => zoneOf(i) === 0 && !isInQuarter(i))
  await visit(`/aggregates/${large.quarter}?edit=yes`)
  const draft = page.getByRole('region', { name: 'Draft', exact: true })
  await draft.getByLabel('Add members by filter').fill('az:az1')
  await draft.getByRole('button', { name: 'Add matching hosts' }).click()
  await expect(draft.locator('[data-added]')).toHaveText(`${inWords(zone)} hosts match; ${inWords(added)} added.`)
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  // those that are members already see another aggregate too
  await expect(draft.locator('[data-impact]')).toContainText(
    `${inWords(QUARTER + added)} hosts, 0 of them would change their availability zone`,
  )
  await page.reload()
  await expect(draft.getByLabel('Add hosts')).toHaveValue(new RegExp(`^${large.names[0]}`))
  await draft.getByRole('button', { name: 'Discard' }).click()
  await expect(draft).toBeHidden()
  await expect(page.locator('[data-members]')).toHaveAttribute('data-members', String(QUARTER))
})

test('decisions: the list has as many as the API counts, to the last; a filter narrows it, and the address keeps it', async ({
  page,
  visit,
  large,
  look,
}) => {
  await visit('/decisions?live=off')
  const all = await countOf(large.client, 'decisions')
  await expectLoaded(page, 'Decisions', all)
  await look('decisions about a large fleet')
  let sum = 0
  for (const q of ['outcome:PLACED', 'outcome:NO_VALID_HOST']) {
    await page.goto(`/decisions?live=off&q=${q}`)
    const count = await countOf(large.client, 'decisions', q)
    await expectLoaded(page, 'Decisions', count)
    await page.reload()
    await expect(found(page)).toHaveAttribute('data-count', String(count))
    sum += count
  }
  expect(sum).toBe(all)
})

test('a decision: every host is refused once or left, and every count opens exactly as many rows', async ({ page, visit, large, look }) => {
  await visit(`/decisions/${encodeURIComponent(large.refused.decisionId)}?all=yes`)
  await expect(page.locator('[data-law=sum]')).toHaveText(`${inWords(LARGE)} refused + 0 left = ${inWords(LARGE)} hosts`)
  await expect(page.getByRole('group', { name: 'Filters that refuse hosts together' })).toBeVisible()
  let opened = 0
  for (const counts of [
    page.getByRole('region', { name: 'Filters' }).getByRole('button', { name: /hosts?/ }),
    page.getByRole('group', { name: 'Filters that refuse hosts together' }).getByRole('button'),
  ])
    for (const label of await counts.evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label') ?? ''))) {
      await page.getByRole('button', { name: label, exact: true }).click()
      await expectRowCount(page, 'Hosts by filters', numberIn(label))
      opened++
    }
  expect(opened).toBeGreaterThan(6)
  await look('a decision about a large fleet')
  await page.goto(`/decisions/${encodeURIComponent(large.refused.decisionId)}`)
  await expectVirtual(page, 'Hosts by filters', LARGE)
})

test('simulate: what would be placed and how many more fit are the API’s, and nothing is claimed', async ({ page, visit, large, look }) => {
  const { client } = large
  const flavor = { vcpus: 2, memoryMb: 8_192, rootGb: 20 }
  const spec = { gantt: { flavor, availabilityZone: 'az3' } }
  const overlay = { addHosts: [{ likeHost: large.names[0] ?? '', count: 3 }] }
  const traces = () => Promise.all([countOf(client, 'claims'), countOf(client, 'decisions')])
  const before = await traces()
  const { simulate, capacity } = await client.request<{
    simulate: { placed: number; failed: number }
    capacity: { fits: number; groups: readonly { key: string; fits: number }[] }
  }>(
    `query Ask($requests: [SimulatedRequest!]!, $spec: SpecInput!, $overlay: FleetOverlayInput!) {
      simulate(input: { requests: $requests, overlay: $overlay }) { placed failed }
      capacity(input: { spec: $spec, overlay: $overlay }) { fits groups { key fits } } }`,
    { requests: [{ spec, count: 20 }], spec, overlay },
  )
  const asked = new URLSearchParams({ request: JSON.stringify(spec.gantt), count: '20', overlay: JSON.stringify(overlay) })
  await visit(`/simulate?${asked}`)
  const outcome = page.getByRole('region', { name: 'Outcome' }).locator('[data-placed]')
  await expect(outcome).toHaveAttribute('data-placed', String(simulate.placed))
  await expect(outcome).toHaveAttribute('data-failed', String(simulate.failed))
  const room = page.getByRole('region', { name: 'Capacity' })
  await expect(room.locator('[data-fits]')).toHaveAttribute('data-fits', String(capacity.fits))
  await look('a simulation on a large fleet')
  expect(await traces()).toEqual(before)
})

test('profiles: they are all there, with what is tried of each', async ({ page, visit, large, look }) => {
  const { profiles } = await large.client.request<{ profiles: readonly { name: string }[] }>('{ profiles { name } }')
  await visit('/profiles')
  await expectRowCount(page, 'Profiles', profiles.length)
  await expect(rowWith(page, 'Profiles', 'even-memory')).toContainText('@2')
  await rowWith(page, 'Profiles', 'even-memory').click()
  await expect(page.locator('[data-summary-of]')).toContainText('even-memory@2 is its shadow')
  await expect(page.locator('[data-version]')).toHaveCount(2)
  await look('a profile of a large fleet')
})

test('claims: every kind opens exactly as many as it counts, the list reaches its last, and all that match are chosen', async ({
  page,
  visit,
  large,
  look,
}) => {
  await visit('/claims')
  for (const kind of ['reserved', 'ending', 'old', 'held', 'counted', 'expired']) {
    const link = page.locator(`[data-kind="${kind}"]`)
    const count = numberIn(await link.textContent())
    await link.click()
    await expect(page).toHaveURL(/\/claims\?q=state/)
    if (count === 0) await expect(page.getByRole('heading', { name: 'No claim matches' })).toBeVisible()
    else await expectLoaded(page, 'Claims', count)
    expect(await countOf(large.client, 'claims', new URL(page.url()).searchParams.get('q') ?? ''), kind).toBe(count)
  }
  await page.goto('/claims?q=state:CONFIRMED')
  const held = await countOf(large.client, 'claims', 'state:CONFIRMED')
  expect(held).toBeGreaterThan(250)
  await expect(page.getByRole('checkbox').first()).toBeVisible()
  await gridOf(page, 'Claims').focus()
  for (const key of ['j', 'x']) await page.keyboard.press(key)
  await page.getByRole('button', { name: `Choose all ${inWords(held)} matching` }).click()
  await expect(page.locator(`[data-chosen="${held}"]`)).toBeVisible()
  await look('claims on a large fleet')
})

test('aggregates: all hosts are chosen and led to a draft, whatever fits into an address; of those pasted, exactly the unknown are reported', async ({
  page,
  visit,
  large,
}) => {
  await visit('/hosts?view=table')
  await gridOf(page, 'Hosts').focus()
  for (const key of ['j', 'x']) await page.keyboard.press(key)
  await page.getByRole('button', { name: `Choose all ${inWords(LARGE)} matching` }).click()
  await page.getByRole('button', { name: 'Add to an aggregate ...' }).click()
  const dialog = page.getByRole('dialog', { name: `Add ${inWords(LARGE)} hosts to an aggregate` })
  await dialog.getByLabel('Aggregate', { exact: true }).fill('fast-disks')
  await dialog.getByRole('button', { name: /^fast-disks/ }).click()
  const draft = page.getByRole('region', { name: 'Draft', exact: true })
  const field = draft.getByLabel('Add hosts')
  await expect(draft).toContainText(`${LARGE} names`)
  expect((await field.inputValue()).split('\n').sort()).toEqual([...large.names].sort())
  const known = large.names.slice(0, 4_997)
  // by commas: a browser takes its time to write thousands of lines into any field
  await field.fill([...known, 'nobody-1', 'nobody-2', 'nobody-3'].join(', '))
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  const refusal = draft.getByRole('alert')
  await expect(refusal.getByRole('listitem')).toHaveCount(3)
  for (const name of ['nobody-1', 'nobody-2', 'nobody-3']) await expect(refusal).toContainText(name)
  // it stays a draft: nothing here changes the fleet
  await draft.getByRole('button', { name: 'Discard' }).click()
  await expect(draft).toBeHidden()
})

test('replicas: the one that answers is at the log’s head, and its auditor finds nothing', async ({ page, visit, large, look }) => {
  await visit('/replicas')
  const { health } = await large.client.request<{ health: { replica: string } }>('{ health { replica } }')
  await expectRowCount(page, 'Replicas', 1)
  await expect(rowsOf(page, 'Replicas').first()).toContainText(`${health.replica} (answers you)`)
  await expect(rowsOf(page, 'Replicas').first().locator('[data-mode="normal"]')).toBeVisible()
  await expect(page.locator('[data-violations="0"]')).toBeVisible()
  await expect(page.locator('[data-trouble]')).toHaveCount(0)
  await look('the replicas of a large fleet')
})

test('audit: it has every call that the API counts, to the last, and a row of many hosts opens', async ({ page, visit, large, look }) => {
  await visit('/audit?q=mutation:hostSetStatus')
  await expectLoaded(page, 'Audit', await countOf(large.client, 'auditLog', 'mutation:hostSetStatus'))
  await rowsOf(page, 'Audit').first().click()
  await expect(page.locator('[data-entry]')).toContainText('hostSetStatus')
  await look('a call about many hosts')
  await page.goto('/audit')
  await expectLoaded(page, 'Audit', await countOf(large.client, 'auditLog'))
})

test('keys: as many as the API has; one is found, and its address is the view', async ({ page, visit, large, look }) => {
  const { apiKeys } = await large.client.request<{ apiKeys: { nodes: readonly unknown[] } }>('{ apiKeys(first: 500) { nodes { id } } }')
  await visit('/keys')
  await expect(found(page)).toHaveAttribute('data-count', String(apiKeys.nodes.length))
  await look('the keys of a large fleet')
  await page.getByRole('textbox', { name: /^Find a key/ }).fill('reader-1')
  await expectRowCount(page, 'Keys', 3)
  await page.reload()
  await expectRowCount(page, 'Keys', 3)
})

test('settings: each of the API stands there', async ({ page, visit, large, look }) => {
  const { settings } = await large.client.request<{ settings: readonly { name: string }[] }>('{ settings { name } }')
  await visit('/settings')
  await expect(page.locator('[data-setting]')).toHaveCount(settings.length)
  await look('settings of a large fleet')
})

test('GraphiQL: a query over the fleet answers with its size', async ({ page, visit }) => {
  await visit(
    `/graphiql?${new URLSearchParams({ query: '{ fleet { hostCount } hosts(first: 500) { totalCount nodes { name state } } }' })}`,
  )
  const frame = page.frameLocator('iframe[title=GraphiQL]')
  await frame.getByRole('button', { name: /Execute query/ }).click()
  await expect(frame.locator('.graphiql-response').first()).toContainText(`"hostCount": ${LARGE}`)
})
