import { operationOf } from '../calls.ts'
import { expect, type Page, test } from '../fixtures.ts'
import { expectRowCount, rowsOf, rowWith } from '../grid.ts'
import { pressSequence } from '../keyboard.ts'
import { place, report } from '../seed.ts'
import { type Service, startService } from '../service.ts'

test('the page shows the state, the log and the auditor of the replica that answers', async ({ page, visit, service }) => {
  await visit('/hosts')
  await pressSequence(page, 'g r')
  await expect(page.getByRole('heading', { level: 1, name: 'Replicas' })).toBeFocused()
  const { health } = await service.client.request<{ readonly health: { readonly replica: string; readonly engine: string } }>(
    '{ health { replica engine } }',
  )
  await expectRowCount(page, 'Replicas', 1)
  const row = rowsOf(page, 'Replicas').first()
  await expect(row).toContainText(`${health.replica} (answers you)`)
  await expect(row.locator('[data-mode="normal"]')).toBeVisible()
  await expect(row).toContainText(/\d m?s to \d+(\.\d+)? m?s/)
  await expect(row).toContainText(/\d+ up/)
  await expect(row).toContainText(/\d [MG]iB/)
  await expect(row).not.toContainText('unknown')
  await expect(page.locator('[data-figure="Log store"]')).toContainText(health.engine)
  await expect(page.locator('[data-violations="0"]')).toContainText('No violations found')
  await expect(page.locator('[data-trouble]')).toHaveCount(0)
})

test('every kind of problem that replicas and the auditor report is shown', { tag: ['@colours', '@rare'] }, async ({
  page,
  visit,
  look,
}) => {
  await page.route('**/graphql', async (route) => {
    if (!operationOf(route.request()).includes('query Replicas')) return route.continue()
    const answer = await route.fetch()
    const { data } = await answer.json()
    const [own] = data.replicas
    const other = {
      ...own,
      id: 'another<b>one',
      answers: false,
      live: false,
      version: '0.0.1',
      lagEvents: 7,
      violations: 2,
      reason: 'it hangs',
      // A release that does not report these values returns null.
      ...{ decisionsPerSecond: null, proposals: null, conflicts: null, memoryBytes: null, hosts: null, plugins: null },
    }
    const finding = {
      code: 'audit.column',
      promise: 'P1',
      subject: 'host',
      name: 'a/b',
      host: 'a/b',
      hostName: 'a/b',
      node: 'a/b',
      claim: null,
      field: 'free',
    }
    const mend = { severity: 'VIOLATION', id: 'f1', repair: { text: 'Heal it.', automatic: false, options: [] } }
    const found = { ...finding, ...mend, expected: '4', actual: '5', since: own.lastSeenAt }
    const missing = { code: 'database.away', message: 'The database is away.', since: own.lastSeenAt }
    return route.fulfill({
      response: answer,
      json: {
        data: {
          ...data,
          replicas: [{ ...own, plugins: [{ name: 'rack', version: '1.1.0' }] }, other],
          health: { ...data.health, mode: 'STORE_AWAY', reason: 'The store does not answer.', degraded: [missing] },
          auditor: { ...data.auditor, violations: 1, findings: [found] },
        },
      },
    })
  })
  await visit('/replicas')
  await expect(page.locator('[data-trouble]')).toContainText('another<b>one sent no heartbeat for ten seconds')
  await expect(page.locator('[data-mode="silent"]')).toBeVisible()
  await expect(rowsOf(page, 'Replicas').nth(1).getByText('unknown')).toHaveCount(5)
  await expect(rowsOf(page, 'Replicas').first()).toContainText('rack 1.1.0')
  await expect(page.getByRole('region', { name: 'This replica' })).toContainText(', plug-ins rack 1.1.0')
  await expect(page.locator('[data-degraded="database.away"]')).toContainText('The database is away.')
  await expect(page.locator('[data-finding="audit.column"]')).toContainText('a/b')
  await look('replicas with problems')
  await page.locator('[data-finding="audit.column"]').getByRole('link', { name: 'a/b' }).click()
  await expect(page).toHaveURL('/hosts/a%2Fb')
})

test('findings about reports of hosts are listed with their repair, which is previewed and then applied', async ({
  page,
  visit,
  service,
}) => {
  await report(service.client, { mute: { vcpus: 16 } })
  const gantt = { forceHosts: ['mute'], flavor: { vcpus: 1, memoryMb: 64 } }
  await service.client.request(
    'mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename ... on UserError { message } } }',
    { in: { idempotencyKey: crypto.randomUUID(), claim: { mode: 'CONFIRM' }, spec: { gantt } } },
  )
  await visit('/replicas')
  const found = page.locator('[data-finding="use.no_instances"]').filter({ hasText: 'mute' })
  await expect(found).toContainText('warning', { timeout: 30_000 })
  await expect(page.locator('[data-clean-looks]')).toContainText(/since .* ago, in [\d,]+ checks of [\d,]+ rounds?/)
  await found.getByRole('button', { name: 'Repair' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('its agent lists nothing')
  await dialog.getByRole('button', { name: 'Preview the changes' }).click()
  await expect(dialog.locator('[data-differences]')).toContainText('usedFrom')
  await expect(dialog.locator('[data-differences]')).toContainText('Nothing has been changed yet')
  await dialog.getByRole('button', { name: 'Repair the finding' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(found).toHaveCount(0, { timeout: 30_000 })
  const { host } = await service.client.request<{ readonly host: { readonly usedFrom: string } }>('{ host(name: "mute") { usedFrom } }')
  expect(host.usedFrom).toBe('CLAIMS')
})

test('if a finding has several repairs, the operator selects one and enters the size of the instance', {
  tag: ['@colours', '@rare'],
}, async ({ page, visit, service, look }) => {
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()] as const
  await report(service.client, { ghosts: { vcpus: 16, vcpusUsed: 4, memoryMbUsed: 2_048, instances: [first, second] } })
  await visit('/replicas')
  const found = page.locator('[data-finding="instance.unclaimed"]').filter({ hasText: 'ghosts' })
  await expect(found).toContainText('notice', { timeout: 30_000 })
  await found.getByRole('button', { name: 'Repair' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('it stays')
  const see = dialog.getByRole('button', { name: 'Preview the changes' })
  await expect(see).toBeDisabled()
  await dialog.getByRole('radio', { name: `Create a claim for instance ${second} on ghosts.` }).click()
  await expect(see).toBeDisabled()
  await dialog.getByLabel('vCPU').fill('2')
  await dialog.getByLabel('Memory, MiB').fill('1024')
  await dialog.getByLabel('Project').fill('theirs')
  await dialog.getByLabel('Account').fill('their-account')
  await look('a finding with several repairs')
  await see.click()
  // The host's report already counts the resources of the instance, so the claim needs no further resources.
  const differences = dialog.locator('[data-differences]')
  await expect(differences).toContainText('their-account')
  await expect(differences).not.toContainText('classes.VCPU.claimed')
  // If the operator enters another size, the previewed change is no longer valid, so a new preview is needed.
  await dialog.getByLabel('vCPU').fill('3')
  await expect(dialog.locator('[data-differences]')).toHaveCount(0)
  await see.click()
  await dialog.getByRole('button', { name: 'Repair the finding' }).click()
  await expect(dialog).toHaveCount(0)
  const { claims } = await service.client.request<{ readonly claims: { readonly nodes: readonly object[] } }>(
    '{ claims(first: 10, query: "host:ghosts") { nodes { instanceUuid account } } }',
  )
  expect(claims.nodes).toEqual([{ instanceUuid: second, account: 'their-account' }])
  // An instance has at most one live claim in its project, whichever account made it.
  const gantt = { instanceUuids: [second], projectId: 'theirs', flavor: { vcpus: 1, memoryMb: 64 } }
  const { selectDestinations } = await service.client.request<{ readonly selectDestinations: { readonly __typename: string } }>(
    'mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename } }',
    { in: { idempotencyKey: crypto.randomUUID(), claim: { mode: 'CONFIRM' }, spec: { gantt } } },
  )
  expect(selectDestinations).toEqual({ __typename: 'InstanceTaken' })
})

test('if the service does not answer, the known data stays visible and is marked as old', { tag: '@rare' }, async ({
  page,
  visit,
  provokes,
}) => {
  provokes('ERR_FAILED')
  await visit('/replicas')
  await expect(rowsOf(page, 'Replicas').first()).toBeVisible()
  await page.route('**/graphql', (route) => route.abort())
  await expect(page.getByRole('alert').first()).toContainText('The service cannot be reached', { timeout: 30_000 })
  await expect(rowsOf(page, 'Replicas').first()).toBeVisible()
  await expect(page.locator('[data-as-of-read]')).toContainText('ago')
  await page.unroute('**/graphql')
  await expect(page.getByRole('alert')).toHaveCount(0, { timeout: 30_000 })
})

test.describe('two replicas on one database', () => {
  const both = test.extend<{ readonly replicas: readonly [first: Service, second: Service] }>({
    replicas: [
      // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the needed fixtures from this pattern
      async ({}, use) => {
        const first = await startService()
        try {
          const second = await startService({ folder: first.folder })
          try {
            await use([first, second])
          } finally {
            await second.stop()
          }
        } finally {
          await first.stop()
        }
      },
      { timeout: 120_000 },
    ],
  })

  both(
    'two replicas have the same state; a killed one is shown as silent, and its page works again with a new replica on its port',
    { tag: '@rare' },
    async ({ page, context, replicas: [first, second], provokes }) => {
      // The browser logs an error while no server listens on the port, and while the server is not ready yet.
      provokes('Failed to load resource')
      const [firstName, secondName] = [await nameOf(first), await nameOf(second)]
      await report(first.client, { 'host-1': {} })
      expect((await place(first.client, {})).outcome).toBe('PLACED')
      await page.goto(`${first.origin}/overview#key=${first.key}`)
      await expect(page.locator('[data-figure="Conflicts"]')).toContainText('0 %')
      const own = await context.newPage()
      await open(page, first)
      await open(own, second)
      for (const name of [firstName, secondName]) await expect(rowOf(page, name)).toContainText('= equal', { timeout: 30_000 })
      await expect(rowOf(page, firstName)).toContainText('(answers you)')
      await expect(rowOf(own, secondName)).toContainText('(answers you)')
      await expect(page.locator('[data-trouble]')).toHaveCount(0)

      await second.kill()
      await expect(own.getByRole('alert').first()).toContainText('The service cannot be reached', { timeout: 30_000 })
      await expect(own.locator('.stale').getByRole('grid', { name: 'Replicas' })).toBeVisible()
      await expect(rowOf(own, firstName)).toBeVisible()
      // The time limit covers ten seconds without a heartbeat, one interval between heartbeats, and one interval between reads of the page.
      await expect(page.locator('[data-trouble]')).toContainText(`${secondName} sent no heartbeat for ten seconds`, { timeout: 20_000 })
      await expect(rowOf(page, secondName).locator('[data-mode="silent"]')).toBeVisible()
      await expect(rowOf(page, firstName).locator('[data-mode="normal"]')).toBeVisible()

      const third = await startService({ folder: first.folder, port: Number(new URL(second.origin).port) })
      try {
        await expect(rowOf(own, await nameOf(third))).toContainText('(answers you)', { timeout: 30_000 })
        await expect(own.getByRole('alert')).toHaveCount(0)
        await expect(own.locator('.stale')).toHaveCount(0)
        await expect(rowOf(own, secondName).locator('[data-mode="silent"]')).toBeVisible()
      } finally {
        // The page is closed, so that the replica gets no further requests.
        await own.close()
        await third.stop()
      }
    },
  )

  const rowOf = (page: Page, name: string) => rowWith(page, 'Replicas', name)

  async function open(page: Page, { origin, key }: Service): Promise<void> {
    await page.goto(`${origin}/replicas#key=${key}`)
    await expect(rowsOf(page, 'Replicas')).toHaveCount(2)
  }

  async function nameOf({ client }: Service): Promise<string> {
    const { health } = await client.request<{ readonly health: { readonly replica: string } }>('{ health { replica } }')
    return health.replica
  }
})

test('appearance: replicas @looks', { tag: '@rare' }, async ({ page, visit, look }) => {
  await visit('/replicas')
  await expect(rowsOf(page, 'Replicas').first()).toBeVisible()
  await look('replicas')
})
