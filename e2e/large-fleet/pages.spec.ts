import { expect } from '../fixtures.ts'
import { expectRowCount, gridOf, inWords, numberIn, rowsOf, rowWith } from '../grid.ts'
import { EXTRA_TIMEOUT_MS, hostsWhere, isInQuarter, LARGE, test, ZONES, zoneOf } from './large-fleet.ts'
import { countOf, expectLoaded, expectVirtual, found, QUARTER } from './lists.ts'

// The properties of each page that operators rely on, with GANTT_LARGE_FLEET hosts. Counts equal those of the API and link to exactly the
// counted rows. Sums are complete. Long lists render only visible rows. The URL contains the view. These tests do not change the fleet.

test.describe.configure({ timeout: 120_000 + EXTRA_TIMEOUT_MS })

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

test('overview: the zones show the usage of their hosts, add up to the fleet, and link to exactly these hosts', async ({
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

test('overview: every reason links to as many decisions as it counts, and the requested flavors fit as often as in the API', async ({
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
  // In a small fleet it is possible that nothing more fits.
  if (LARGE >= 1_000) expect(capacity.fits).toBeGreaterThan(0)
  expect(capacity.groups.reduce((sum, { fits }) => sum + fits, 0)).toBe(capacity.fits)
  const row = page.locator('[data-flavor="m1.broad"]')
  const counted = row.locator('[data-fits]')
  await expect(counted).toBeVisible()
  // The page stops counting after five seconds. On a larger fleet or a busy machine the count can therefore be partial. It is then marked
  // with "at least".
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

test('aggregates: members are counted, and an aggregate with a quarter of the fleet lists, finds and links all of its hosts', async ({
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

test('an aggregate: the preview of an edit of a quarter of the fleet has the API’s counts, and changes nothing', async ({
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
  // The service stops the check of recent requests after ten seconds, and returns the results so far.
  await expect(draft.locator('[data-replayed]')).toBeVisible({ timeout: 30_000 })
  await look('the preview of an edit of a quarter of a large fleet')
  await draft.getByRole('button', { name: 'Discard' }).click()
  await expect(page.locator(`[data-version="${aggregate.version}"]`)).toBeVisible()
})

test('an aggregate: a zone’s hosts are added to its draft by a filter, previewed, and discarded', async ({ page, visit, large }) => {
  const zone = hostsWhere((i) => zoneOf(i) === 0)
  const added = hostsWhere((i) => zoneOf(i) === 0 && !isInQuarter(i))
  await visit(`/aggregates/${large.quarter}?edit=yes`)
  const draft = page.getByRole('region', { name: 'Draft', exact: true })
  await draft.getByLabel('Add members by filter').fill('az:az1')
  await draft.getByRole('button', { name: 'Add matching hosts' }).click()
  await expect(draft.locator('[data-added]')).toHaveText(`${inWords(zone)} hosts match; ${inWords(added)} added.`)
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  // The preview also counts the hosts that are already members.
  await expect(draft.locator('[data-impact]')).toContainText(
    `${inWords(QUARTER + added)} hosts, 0 of them would change their availability zone`,
  )
  await page.reload()
  await expect(draft.getByLabel('Add hosts')).toHaveValue(new RegExp(`^${large.names[0]}`))
  await draft.getByRole('button', { name: 'Discard' }).click()
  await expect(draft).toBeHidden()
  await expect(page.locator('[data-members]')).toHaveAttribute('data-members', String(QUARTER))
})

test('decisions: the list has all decisions that the API counts, a filter reduces it, and the URL has the filter', async ({
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

test('a decision: every host is refused once or remains, and every count links to exactly as many rows', async ({
  page,
  visit,
  large,
  look,
}) => {
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

test('simulate: the placed instances and the count of further instances that fit are those of the API, and nothing is claimed', async ({
  page,
  visit,
  large,
  look,
}) => {
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

test('profiles: all are listed, and the page of a profile shows its rollout', async ({ page, visit, large, look }) => {
  const { profiles } = await large.client.request<{ profiles: readonly { name: string }[] }>('{ profiles { name } }')
  await visit('/profiles')
  await expectRowCount(page, 'Profiles', profiles.length)
  await expect(rowWith(page, 'Profiles', 'even-memory')).toContainText('@2')
  await rowWith(page, 'Profiles', 'even-memory').click()
  await expect(page.locator('[data-summary-of]')).toContainText('even-memory@2 is its shadow')
  await expect(page.locator('[data-version]')).toHaveCount(2)
  await look('a profile of a large fleet')
})

test('claims: the count of every state links to as many claims, the list reaches the last claim, and all matching claims can be selected', async ({
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

test('aggregates: any number of hosts can be selected and added to a draft, and of pasted names only unknown ones are reported', async ({
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
  // The names are separated by commas, because a browser writes thousands of lines into a field slowly.
  await field.fill([...known, 'nobody-1', 'nobody-2', 'nobody-3'].join(', '))
  await draft.getByRole('button', { name: 'Preview the impact' }).click()
  const refusal = draft.getByRole('alert')
  await expect(refusal.getByRole('listitem')).toHaveCount(3)
  for (const name of ['nobody-1', 'nobody-2', 'nobody-3']) await expect(refusal).toContainText(name)
  // The draft is discarded, because these tests do not change the fleet.
  await draft.getByRole('button', { name: 'Discard' }).click()
  await expect(draft).toBeHidden()
})

test('replicas: the replica that answers is listed as working normally, and its auditor finds nothing', async ({
  page,
  visit,
  large,
  look,
}) => {
  await visit('/replicas')
  const { health } = await large.client.request<{ health: { replica: string } }>('{ health { replica } }')
  await expectRowCount(page, 'Replicas', 1)
  await expect(rowsOf(page, 'Replicas').first()).toContainText(`${health.replica} (answers you)`)
  await expect(rowsOf(page, 'Replicas').first().locator('[data-mode="normal"]')).toBeVisible()
  await expect(page.locator('[data-violations="0"]')).toBeVisible()
  await expect(page.locator('[data-trouble]')).toHaveCount(0)
  await look('the replicas of a large fleet')
})

test('audit: the list has every call that the API counts, and the row of an edit of many hosts can be opened', async ({
  page,
  visit,
  large,
  look,
}) => {
  await visit('/audit?q=mutation:hostSetStatus')
  await expectLoaded(page, 'Audit', await countOf(large.client, 'auditLog', 'mutation:hostSetStatus'))
  await rowsOf(page, 'Audit').first().click()
  await expect(page.locator('[data-entry]')).toContainText('hostSetStatus')
  await look('a call about many hosts')
  await page.goto('/audit')
  await expectLoaded(page, 'Audit', await countOf(large.client, 'auditLog'))
})

test('keys: the list has as many keys as the API, a filter finds one, and the URL has the view', async ({ page, visit, large, look }) => {
  const { apiKeys } = await large.client.request<{ apiKeys: { nodes: readonly unknown[] } }>('{ apiKeys(first: 500) { nodes { id } } }')
  await visit('/keys')
  await expect(found(page)).toHaveAttribute('data-count', String(apiKeys.nodes.length))
  await look('the keys of a large fleet')
  await page.getByRole('textbox', { name: /^Find a key/ }).fill('reader-1')
  await expectRowCount(page, 'Keys', 3)
  await page.reload()
  await expectRowCount(page, 'Keys', 3)
})

test('settings: all settings of the API are listed', async ({ page, visit, large, look }) => {
  const { settings } = await large.client.request<{ settings: readonly { name: string }[] }>('{ settings { name } }')
  await visit('/settings')
  await expect(page.locator('[data-setting]')).toHaveCount(settings.length)
  await look('settings of a large fleet')
})

test('GraphiQL: a query for the size of the fleet is answered correctly', async ({ page, visit }) => {
  await visit(
    `/graphiql?${new URLSearchParams({ query: '{ fleet { hostCount } hosts(first: 500) { totalCount nodes { name state } } }' })}`,
  )
  const frame = page.frameLocator('iframe[title=GraphiQL]')
  await frame.getByRole('button', { name: /Execute query/ }).click()
  await expect(frame.locator('.graphiql-response').first()).toContainText(`"hostCount": ${LARGE}`)
})
