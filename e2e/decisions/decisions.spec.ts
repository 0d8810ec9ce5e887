import { expect, test } from '../fixtures.ts'
import { expectRowCount, firstCells, gridOf, numberIn, rowsOf, rowWith } from '../grid.ts'
import { pressSequence, tabTo } from '../keyboard.ts'
import { place } from '../seed.ts'
import { startService } from '../service.ts'
import { addressOf, answerAbout, countHosts, expectAnswerOfApi, explain, MATRIX, matrixCount, whyNot } from './explained.ts'

test('after a failed request, clicks show which filter refused which hosts, and why one of them was refused', async ({
  page,
  visit,
  service,
}) => {
  const { client } = service
  await visit('/decisions')
  await expect(page.locator('[data-live=live]')).toBeVisible()
  const { decisionId, outcome } = await place(client, { flavor: 'x1.clicked', vcpus: 12, memoryMb: 61_440, zone: 'az1' })
  expect(outcome).toBe('NO_VALID_HOST')

  await rowWith(page, 'Decisions', 'x1.clicked').click()
  await expect(page).toHaveURL(addressOf(decisionId))
  const explained = await explain(client, decisionId)
  await expect(page.locator('[data-headline]')).toHaveText(explained.headline)

  const ram = explained.steps.find(({ name }) => name === 'RamFilter')
  expect(ram?.rejected).toBeGreaterThan(0)
  await page.getByRole('button', { name: `${countHosts(ram?.rejected ?? 0)} refused by RamFilter`, exact: true }).click()
  await expect(matrixCount(page)).toHaveAttribute('data-rows', String(ram?.rejected))

  const [host = ''] = await firstCells(page, MATRIX)
  await rowWith(page, MATRIX, host).click()
  await expectAnswerOfApi(page, client, decisionId, host)
  await page.getByRole('link', { name: 'Open the host' }).click()
  await expect(page.getByRole('heading', { name: host, level: 1 })).toBeVisible()
})

test('the refusing filter and its hosts are found with the keyboard alone', { tag: '@rare' }, async ({ page, visit, service }) => {
  const { client } = service
  const { decisionId } = await place(client, { flavor: 'x1.typed', vcpus: 12, memoryMb: 61_440, zone: 'az1' })
  await visit('/hosts')
  await expect(page.getByRole('heading', { name: 'Hosts', level: 1 })).toBeVisible()
  await pressSequence(page, 'g d')
  await expect(gridOf(page, 'Decisions')).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type('flavor:x1.typed')
  await page.keyboard.press('Enter')
  await expectRowCount(page, 'Decisions', 1)
  await tabTo(page, gridOf(page, 'Decisions'))
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(addressOf(decisionId))
  await expect(page.locator('[data-headline]')).toBeVisible()

  const ram = (await explain(client, decisionId)).steps.find(({ name }) => name === 'RamFilter')
  const count = page.getByRole('button', { name: `${countHosts(ram?.rejected ?? 0)} refused by RamFilter`, exact: true })
  await tabTo(page, count)
  await page.keyboard.press('Enter')
  await expect(matrixCount(page)).toHaveAttribute('data-rows', String(ram?.rejected))
  await page.keyboard.press('j')
  const [host = ''] = await firstCells(page, MATRIX)
  await page.keyboard.press('Enter')

  // The key w focuses the field for the name of a host.
  await page.keyboard.press('w')
  await page.keyboard.press('Control+a')
  await page.keyboard.type(host)
  await page.keyboard.press('Enter')
  await expect(answerAbout(page, host).getByRole('heading', { level: 3 })).toBeFocused()
  await expectAnswerOfApi(page, client, decisionId, host)
  await page.keyboard.press('Escape')
  await expect(answerAbout(page, host)).toBeHidden()
})

test('the counts of the funnel equal those of the API, and they add up', async ({ page, visit, service }) => {
  const { decisionId } = service.seed.refused
  const { steps, hostCount } = await explain(service.client, decisionId)
  await visit(addressOf(decisionId))
  const asked = steps.filter(({ skippedBecause }) => skippedBecause === null)
  await expect(page.locator('[data-filter]')).toHaveCount(asked.length)
  for (const [i, { name, rejected, reasons }] of asked.entries()) {
    const step = page.locator('[data-filter]').nth(i)
    await expect(step).toHaveAttribute('data-filter', name)
    if (rejected > 0)
      await expect(step.getByRole('button', { name: new RegExp(`hosts? refused by ${name}`) }).first()).toHaveText(`−${rejected}`)
    for (const { code, hosts } of reasons)
      await expect(step.getByRole('button', { name: `${countHosts(hosts)} refused by ${name} for ${code}` })).toBeVisible()
    expect(asked[i + 1]?.entered ?? asked.at(-1)?.passed).toBe(steps.find((one) => one.name === name)?.passed)
  }
  const refused = asked.reduce((sum, { rejected }) => sum + rejected, 0)
  await expect(page.locator('[data-law=sum]')).toHaveText(`${refused} refused + 0 left = ${countHosts(hostCount)}`)
})

test('every count of the funnel links to exactly as many hosts', { tag: '@rare' }, async ({ page, visit, service }) => {
  await visit(`${addressOf(service.seed.refused.decisionId)}?all=yes`)
  const regions = [
    page.getByRole('region', { name: 'Filters' }).getByRole('button', { name: /hosts?/ }),
    page.getByRole('group', { name: 'Filters that refuse hosts together' }).getByRole('button'),
  ]
  await expect(page.getByRole('group', { name: 'Filters that refuse hosts together' })).toBeVisible()
  let opened = 0
  for (const counts of regions)
    for (const label of await counts.evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label') ?? ''))) {
      await page.getByRole('button', { name: label, exact: true }).click()
      const count = numberIn(label)
      await expect(matrixCount(page), label).toHaveAttribute('data-rows', String(count))
      await expectRowCount(page, MATRIX, count)
      if (count > 0) expect((await firstCells(page, MATRIX)).length, label).toBe(count)
      opened++
    }
  expect(opened).toBeGreaterThan(6)
})

test('a histogram shows the missing amounts, and each bar links to exactly the hosts that lack this amount @looks', {
  tag: '@rare',
}, async ({ page, visit, look, service }) => {
  const { decisionId } = service.seed.refused
  const { explainPlacement } = await service.client.request<{
    explainPlacement: {
      verdicts: {
        nodes: readonly { hostName: string; checks: readonly { status: string; facts: readonly { shortfall: string | null }[] }[] }[]
      }
    }
  }>(
    `query Short($id: ID!) { explainPlacement(input: { subject: { decisionId: $id } }) {
      verdicts(first: 100, filter: { reason: ["memory.short"] }) { nodes { hostName checks { status facts { shortfall } } } } } }`,
    { id: decisionId },
  )
  const lacking = explainPlacement.verdicts.nodes.map(({ checks }) =>
    Number(checks.find(({ status }) => status === 'FAIL')?.facts[0]?.shortfall),
  )
  expect(lacking.length).toBeGreaterThan(2)
  await visit(addressOf(decisionId))
  await page.getByRole('button', { name: `${countHosts(lacking.length)} refused by RamFilter for memory.short` }).click()
  const bars = page.getByRole('region', { name: 'How much is missing: memory.short' })
  await bars.getByText('As a list').click()
  const counts = bars.getByRole('button')
  await expect(counts.first()).toBeVisible()
  const labels = await counts.evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label') ?? ''))
  expect(labels.map(numberIn).reduce((sum, count) => sum + count, 0)).toBe(lacking.length)
  for (const label of labels) {
    await page.getByRole('button', { name: label, exact: true }).click()
    await expectRowCount(page, MATRIX, numberIn(label))
    const [from = 0, to = 0] = (new URL(page.url()).searchParams.get('short') ?? '').split('-').map(Number)
    expect(lacking.filter((amount) => amount >= from && amount < to).length, label).toBe(numberIn(label))
  }
  await look('how much is missing')
  const address = page.url()
  await page.reload()
  await expectRowCount(page, MATRIX, numberIn(labels.at(-1) ?? ''))
  expect(page.url()).toBe(address)
  // With the keyboard, Home moves the cursor to the first bar, and Shift+End selects all bars from there to the last one.
  const drawn = bars.getByRole('application')
  await drawn.focus()
  for (const key of ['Home', 'Shift+End', 'Enter']) await page.keyboard.press(key)
  await expectRowCount(page, MATRIX, lacking.length)
  await page.getByRole('button', { name: /^Show all hosts, not only those/ }).click()
  await expect(page).not.toHaveURL(/short=/)
})

test('a reload and a second browser show the same view of a decision', { tag: '@rare' }, async ({ page, visit, browser, service }) => {
  const { decisionId } = service.seed.refused
  await visit(addressOf(decisionId))
  const ram = (await explain(service.client, decisionId)).steps.find(({ name }) => name === 'RamFilter')
  await page.getByRole('button', { name: `${countHosts(ram?.rejected ?? 0)} refused by RamFilter`, exact: true }).click()
  await gridOf(page, MATRIX).getByRole('button', { name: 'Host', exact: true }).click()
  await expect(page).toHaveURL(/sort=name/)
  const [host = ''] = await firstCells(page, MATRIX)
  await rowWith(page, MATRIX, host).click()
  await expect(answerAbout(page, host).locator('[data-check]').first()).toBeVisible()
  const text = await page.getByRole('main').textContent()
  await page.reload()
  await expect(answerAbout(page, host).locator('[data-check]').first()).toBeVisible()
  await expect.poll(() => page.getByRole('main').textContent()).toBe(text)
  const elsewhere = await browser.newContext({ viewport: page.viewportSize() })
  try {
    const other = await elsewhere.newPage()
    await other.goto(`${page.url()}#key=${service.key}`)
    await expect(answerAbout(other, host).locator('[data-check]').first()).toBeVisible()
    await expect.poll(() => other.getByRole('main').textContent()).toBe(text)
  } finally {
    await elsewhere.close()
  }
})

test('the page of a placed request shows why its host was chosen, with the API’s totals', async ({ page, visit, service }) => {
  const { decisionId, hosts } = service.seed.placed
  await visit(addressOf(decisionId))
  const { explainPlacement } = await service.client.request<{
    explainPlacement: { weighing: { hosts: { hostName: string; outcome: string; totalWeight: number; weights: { weighted: number }[] }[] } }
  }>(
    `query Weighing($id: ID!) { explainPlacement(input: { subject: { decisionId: $id } }) {
      weighing(top: 50) { hosts { hostName outcome totalWeight weights { weighted } } } } }`,
    { id: decisionId },
  )
  const weighed = explainPlacement.weighing.hosts
  const rows = page.getByRole('region', { name: 'Weights' }).locator('[data-host]')
  await expect(rows).toHaveCount(weighed.length)
  for (const [i, { hostName, outcome, totalWeight, weights }] of weighed.entries()) {
    await expect(rows.nth(i)).toHaveAttribute('data-host', hostName)
    await expect(rows.nth(i)).toHaveAttribute('data-outcome', outcome)
    await expect(rows.nth(i).locator(`[title="${totalWeight}"]`)).toBeVisible()
    expect(weights.reduce((sum, { weighted }) => sum + weighted, 0)).toBeCloseTo(totalWeight, 9)
  }
  await expect(page.locator('[data-outcome=SELECTED]')).toHaveAttribute('data-host', hosts[0] ?? '')
})

test('the answer about a host that does not exist states that it is unknown', { tag: '@rare' }, async ({ page, visit, axe, service }) => {
  await visit(`${addressOf(service.seed.refused.decisionId)}?host=no-such-host`)
  const answer = answerAbout(page, 'no-such-host')
  await expect(answer.getByRole('heading', { level: 3 })).toHaveText(
    (await whyNot(service.client, service.seed.refused.decisionId, 'no-such-host')).headline,
  )
  await expect(answer.getByRole('link', { name: 'Open the host' })).toHaveCount(0)
  await axe('an unknown host')
})

test('a request in a fleet without hosts shows a message, and no empty matrix', { tag: '@rare' }, async ({ page, axe }) => {
  // This test has its own service, because other tests need an empty fleet without decisions.
  const service = await startService()
  try {
    const { decisionId, outcome } = await place(service.client, {})
    expect(outcome).toBe('NO_VALID_HOST')
    await page.goto(`${service.origin}${addressOf(decisionId)}#key=${service.key}`)
    await expect(page.getByRole('heading', { name: 'No hosts to check' })).toBeVisible()
    await expect(page.getByRole('region', { name: MATRIX })).toHaveCount(0)
    await axe('a request without any host')
    await page.goto('about:blank')
  } finally {
    await service.stop()
  }
})

test('every instance of a request has its own tab', async ({ page, visit, service }) => {
  const { decisionId, hosts } = await place(service.client, { flavor: 'x1.three', numInstances: 3, zone: 'az1' })
  expect(hosts).toHaveLength(3)
  await visit(addressOf(decisionId))
  for (const [i, host] of hosts.entries()) {
    await page.getByRole('tab', { name: `Instance ${i + 1}`, exact: true }).click()
    await expect(page.locator('[data-outcome=SELECTED]')).toHaveAttribute('data-host', host)
    await expect(page.locator('[data-headline]')).toContainText(host)
  }
  await page.goBack()
  await expect(page.getByRole('tab', { name: 'Instance 2', exact: true })).toHaveAttribute('aria-selected', 'true')
})

test.describe('appearance', () => {
  test('the list of decisions, with and without a match @looks', { tag: '@rare' }, async ({ page, visit, look }) => {
    await visit('/decisions')
    await expect(rowsOf(page, 'Decisions').first()).toBeVisible()
    await page.keyboard.press('j')
    await look('decisions')
    await page.goto('/decisions?q=flavor:no-such-flavor')
    await expect(page.getByRole('heading', { name: 'No decision matches' })).toBeVisible()
    await look('decisions without a match')
  })

  test('a refused request, with the answer about one host and every filter @looks', async ({ page, visit, look, service }) => {
    await visit(`${addressOf(service.seed.refused.decisionId)}?all=yes&host=az1-05`)
    await expect(answerAbout(page, 'az1-05').locator('[data-check]').first()).toBeVisible()
    await expect(gridOf(page, MATRIX)).toBeVisible()
    await look('a refused request')
  })

  test('a placed request, whose host is compared with another host @looks', { tag: '@rare' }, async ({ page, visit, look, service }) => {
    await visit(`${addressOf(service.seed.placed.decisionId)}?pin=az1-04`)
    await expect(page.getByRole('region', { name: 'Weights' }).locator('[data-host]').first()).toBeVisible()
    await page.getByText('The original request').click()
    await look('a placed request')
  })

  test('two decisions side by side @looks', { tag: '@rare' }, async ({ page, visit, look, service }) => {
    const { placed, refused } = service.seed
    await visit(`${addressOf(refused.decisionId)}?with=${encodeURIComponent(placed.decisionId)}`)
    await expect(page.locator('[data-compared]')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Request of both decisions' })).toContainText('flavor.memoryMb')
    await look('two decisions side by side')
  })

  test('the changes that would make a request fit, and a verified receipt of the decision @looks', { tag: '@rare' }, async ({
    page,
    visit,
    look,
    service,
  }) => {
    await visit(`${addressOf(service.seed.refused.decisionId)}?fit=yes`)
    // The content is measured only after the panel is loaded, because the panel moves it down.
    await expect(page.locator('[data-counterfactual]').first()).toBeVisible()
    await page.getByRole('button', { name: 'Verify' }).click()
    await expect(page.getByRole('list', { name: 'Verified parts' })).toHaveAttribute('data-verified', 'SAME')
    await look('what would make the request fit')
  })

  test('an invalid id of a decision @looks', { tag: '@rare' }, async ({ page, visit, look, provokes }) => {
    provokes(400)
    await visit(addressOf('no-such-id'))
    await expect(page.getByRole('alert')).toContainText('it must be the global id of a Decision')
    await look('an invalid id')
  })
})
