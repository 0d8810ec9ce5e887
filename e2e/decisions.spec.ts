import { expect, expectNoSidewaysScroll, type Page, test } from './fixtures.ts'
import { place } from './seed.ts'

const explain = (id: string): string => `/decisions/${encodeURIComponent(id)}`
const matrixRows = (page: Page) => page.getByRole('region', { name: 'Hosts by filters' }).locator('[data-rows]')
const shownRows = (page: Page) => page.getByRole('grid', { name: 'Hosts by filters' })

test('an operator finds by clicking which hosts failed on what, and reads the numbers of the API', async ({ page, visit, service }) => {
  const { refused } = service.seed
  await visit('/decisions')
  await page.getByRole('grid', { name: 'Decisions' }).getByText('m1.huge').click()
  await expect(page).toHaveURL(explain(refused.decisionId))
  const { explainPlacement } = await service.client.request<{
    explainPlacement: {
      headline: string
      steps: {
        name: string
        rejected: number
        soleRejections: number
        skippedBecause: string | null
        reasons: { code: string; hosts: number }[]
      }[]
    }
  }>(
    `query Steps($id: ID!) { explainPlacement(input: { subject: { decisionId: $id } }) {
      headline steps { name rejected soleRejections skippedBecause reasons { code hosts } } } }`,
    { id: refused.decisionId },
  )
  await expect(page.getByText(explainPlacement.headline)).toBeVisible()

  const refusing = explainPlacement.steps.filter(({ rejected }) => rejected > 0)
  expect(refusing.length).toBeGreaterThan(2)
  for (const { name, rejected, soleRejections, reasons } of refusing) {
    await page.getByRole('button', { name: `${rejected} hosts refused by ${name}`, exact: true }).click()
    await expect(matrixRows(page)).toHaveAttribute('data-rows', String(rejected))
    await expect(shownRows(page)).toHaveAttribute('aria-rowcount', String(rejected + 1))
    for (const { code, hosts } of reasons) {
      await page.getByRole('button', { name: `${hosts} hosts refused by ${name} for ${code}`, exact: true }).click()
      await expect(matrixRows(page)).toHaveAttribute('data-rows', String(hosts))
    }
    if (soleRejections === 0) continue
    await page.getByRole('button', { name: `${soleRejections} hosts refused by ${name} alone` }).click()
    await expect(matrixRows(page)).toHaveAttribute('data-rows', String(soleRejections))
  }
  const sum = refusing.reduce((total, { rejected }) => total + rejected, 0)
  await expect(page.getByText(`${sum} refused + 0 left = ${service.seed.hostCount} hosts`)).toBeVisible()
})

test('why not one host: every check with the numbers that the API tells', async ({ page, visit, service }) => {
  const { refused } = service.seed
  const host = 'az1-01'
  await visit(explain(refused.decisionId))
  await page.getByLabel('Why not host').fill(host)
  await page.getByLabel('Why not host').press('Enter')
  await expect(page).toHaveURL(`${explain(refused.decisionId)}?host=${host}`)
  const { whyNot } = await service.client.request<{
    whyNot: {
      headline: string
      verdict: {
        checks: { filter: string; status: string; facts: { required: string; actual: string; shortfall: string; unit: string }[] }[]
      }
    }
  }>(
    `query WhyNot($id: ID!, $host: String!) { whyNot(input: { subject: { decisionId: $id }, host: { host: $host } }) {
      headline verdict { checks { filter status facts { required actual shortfall unit } } } } }`,
    { id: refused.decisionId, host },
  )
  await expect(page.getByRole('heading', { name: whyNot.headline })).toBeFocused()
  const failing = whyNot.verdict.checks.filter(({ status }) => status === 'FAIL')
  expect(failing.length).toBeGreaterThan(0)
  for (const { filter, facts } of failing) {
    const row = page.locator(`[data-check="${filter}"]`)
    await expect(row).toHaveAttribute('data-status', 'FAIL')
    for (const { required, actual, shortfall, unit } of facts) {
      await expect(row.locator('[data-fact="required"]')).toHaveText(`${required} ${unit}`)
      await expect(row.locator('[data-fact="actual"]')).toHaveText(`${actual} ${unit}`)
      await expect(row.locator('[data-fact="shortfall"]')).toHaveText(`${shortfall} ${unit}`)
    }
  }
  await page.getByRole('button', { name: 'Close' }).click()
  await expect(page).toHaveURL(explain(refused.decisionId))
})

test('a host that nobody knows is said to be unknown', async ({ page, visit, service }) => {
  await visit(`${explain(service.seed.refused.decisionId)}?host=no-such-host`)
  await expect(page.getByText('no-such-host was not known at revision')).toBeVisible()
})

test('from the list to a why-not by keys alone', async ({ page, visit, service }) => {
  await visit('/hosts')
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await expect(page.getByRole('heading', { name: 'Decisions', level: 1 })).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type('flavor:m1.huge')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/decisions?q=flavor:m1.huge')
  await expect(page.getByRole('grid', { name: 'Decisions' })).toHaveAttribute('aria-rowcount', '2')
  await page.getByRole('textbox', { name: 'Filter decisions' }).blur()
  await page.keyboard.press('j')
  await page.keyboard.press('o')
  await expect(page).toHaveURL(explain(service.seed.refused.decisionId))
  await expect(shownRows(page)).toBeVisible()
  await page.keyboard.press('w')
  await page.keyboard.type('az1-02')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: /^az1-02 was refused by ComputeFilter/ })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(explain(service.seed.refused.decisionId))
})

test('combinations of refusing filters open exactly their hosts', async ({ page, visit, service }) => {
  await visit(explain(service.seed.refused.decisionId))
  await page.getByText('Every filter, not only the first that refuses').click()
  await expect(page).toHaveURL(/all=yes/)
  const combos = page.getByRole('group', { name: 'Filters that refuse hosts together' }).getByRole('button')
  const names = await combos.evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label') ?? ''))
  expect(names.length).toBeGreaterThan(1)
  let sum = 0
  for (const name of names) {
    const hosts = Number(name.split(' ')[0])
    await page.getByRole('button', { name, exact: true }).click()
    await expect(matrixRows(page)).toHaveAttribute('data-rows', String(hosts))
    sum += hosts
  }
  expect(sum).toBe(service.seed.hostCount)
})

test('a reload and a second browser show the same view', async ({ page, visit, service, browser }) => {
  const address = `${explain(service.seed.refused.decisionId)}?filter=RamFilter&sort=name&host=az1-08`
  const seen = async (one: Page): Promise<(string | null)[]> => {
    await expect(one.locator('[data-why-not="az1-08"]')).toBeVisible()
    await expect(shownRows(one)).toBeVisible()
    return [
      await one.locator('[data-headline]').textContent(),
      await shownRows(one).textContent(),
      await one.locator('[data-why-not]').textContent(),
    ]
  }
  await visit(address)
  const first = await seen(page)
  await page.reload()
  expect(await seen(page)).toEqual(first)
  const context = await browser.newContext()
  const other = await context.newPage()
  await other.goto(`${service.origin}${address}#key=${service.key}`)
  expect(await seen(other)).toEqual(first)
  await context.close()
})

test('a placed request shows its weights, the host that was taken, and why not another', async ({ page, visit, service }) => {
  const { placed } = service.seed
  await visit(explain(placed.decisionId))
  await expect(page.getByText(`${placed.hosts[0]} was taken`)).toBeVisible()
  const weights = page.getByRole('region', { name: 'Totals of the best hosts' })
  const { explainPlacement } = await service.client.request<{
    explainPlacement: { weighing: { hosts: { hostName: string; totalWeight: number; weights: { weighted: number }[] }[] } }
  }>(
    `query Weights($id: ID!) { explainPlacement(input: { subject: { decisionId: $id } }) { weighing(top: 50) { hosts { hostName totalWeight weights { weighted } } } } }`,
    { id: placed.decisionId },
  )
  const { hosts } = explainPlacement.weighing
  await expect(weights.locator('[data-host]')).toHaveCount(hosts.length)
  for (const { totalWeight, weights: parts } of hosts)
    expect(Math.abs(parts.reduce((sum, { weighted }) => sum + weighted, 0) - totalWeight)).toBeLessThan(1e-9)
  await expect(weights.locator('[data-outcome="SELECTED"]')).toHaveAttribute('data-host', placed.hosts[0] ?? '')
  await weights.getByRole('button', { name: `Why ${hosts[1]?.hostName}` }).click()
  await expect(page.getByRole('region', { name: 'Against the host that was taken' })).toBeVisible()
})

test('new decisions come in by themselves, wait while somebody reads, and stop when frozen', async ({ page, visit, service }) => {
  await visit('/decisions')
  await expect(page.locator('[data-live="live"]')).toBeVisible()
  const grid = page.getByRole('grid', { name: 'Decisions' })
  await place(service.client, { flavor: 'live.one', vcpus: 1, memoryMb: 64 })
  await expect(grid.getByText('live.one')).toBeVisible()
  for (let i = 0; i < 3; i++) await page.keyboard.press('j')
  await place(service.client, { flavor: 'live.two', vcpus: 1, memoryMb: 64 })
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible()
  await expect(grid.getByText('live.two')).toHaveCount(0)
  await page.getByRole('button', { name: '1 new' }).click()
  await expect(grid.getByText('live.two')).toBeVisible()
  await page.getByRole('button', { name: 'Freeze' }).click()
  await expect(page).toHaveURL('/decisions?live=off')
  await expect(page.locator('[data-live="off"]')).toBeVisible()
})

test('the pages of decisions in all their states @looks', async ({ page, visit, axe, service }) => {
  const { refused, placed } = service.seed
  const states = [
    { name: 'the list', path: '/decisions', ready: page.getByRole('grid', { name: 'Decisions' }) },
    { name: 'a list of none', path: '/decisions?q=flavor:none', ready: page.getByText('No decision matches') },
    { name: 'a failed decision', path: explain(refused.decisionId), ready: shownRows(page) },
    {
      name: 'a failed decision, one host asked about',
      path: `${explain(refused.decisionId)}?host=az1-08&all=yes`,
      ready: page.locator('[data-why-not]'),
    },
    { name: 'an empty selection', path: `${explain(refused.decisionId)}?find=nobody`, ready: page.getByText('No host is among these') },
    { name: 'a placed decision', path: explain(placed.decisionId), ready: page.getByRole('region', { name: 'Totals of the best hosts' }) },
    {
      name: 'a decision that is not there',
      path: '/decisions/RGVjaXNpb246MDAwMDAwMDAtMDAwMC00MDAwLTgwMDAtMDAwMDAwMDAwMDAw',
      ready: page.getByText('There is no such decision'),
    },
  ]
  for (const { name, path, ready } of states) {
    await visit(path)
    await expect(ready.first()).toBeVisible()
    await axe(name)
    await expectNoSidewaysScroll(page, name)
  }
})

test('the empty list says how to ask for the first decision @looks', async ({ page, emptyService, axe }) => {
  await page.goto(`${emptyService.origin}/decisions#key=${emptyService.key}`)
  await expect(page.getByText('No decision yet')).toBeVisible()
  await axe('no decision yet')
})
