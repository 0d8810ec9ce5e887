import { randomUUID } from 'node:crypto'
import type { Client } from '@gantt/client'
import { expect, test } from '../fixtures.ts'
import { expectRowCount } from '../grid.ts'
import { report } from '../seed.ts'

/** Reserves resources on a host for an hour, or until the host counts the instance, and releases the claim. Returns the instance. */
async function reserveAndRelease(client: Client, host: string, untilCounted: boolean): Promise<string> {
  const instance = randomUUID()
  const { selectDestinations } = await client.request<{
    selectDestinations: { destinations?: { selected: { claim: { id: string; fence: number } } }[]; message?: string }
  }>(
    `mutation Reserve($input: SelectDestinationsInput!) { selectDestinations(input: $input) {
      ... on SelectDestinationsPayload { destinations { selected { claim { id fence } } } } ... on UserError { message } } }`,
    {
      input: {
        idempotencyKey: randomUUID(),
        spec: { gantt: { instanceUuids: [instance], flavor: { vcpus: 1, memoryMb: 256 }, forceHosts: [host] } },
        claim: { mode: 'RESERVE', ttl: 'PT1H', untilCounted },
      },
    },
  )
  const claims = (selectDestinations.destinations ?? []).map(({ selected }) => selected.claim)
  if (claims.length === 0) throw new Error(`Nothing was reserved: ${selectDestinations.message}`)
  const { claimRelease } = await client.request<{ claimRelease: readonly { readonly __typename: string }[] }>(
    'mutation Release($claims: [ClaimRef!]!) { claimRelease(claims: $claims) { __typename } }',
    { claims },
  )
  expect(claimRelease).toEqual([{ __typename: 'ClaimPayload' }])
  return instance
}

test('the panel of a released claim shows until when its amounts stay held, as long as they do', { tag: '@rare' }, async ({
  page,
  visit,
  service,
}) => {
  const panel = page.getByRole('complementary', { name: 'Side panel' })
  const factOf = (term: string) => panel.getByText(term, { exact: true }).locator('xpath=following-sibling::dd')
  const show = async (instance: string): Promise<void> => {
    await visit(`/claims?q=instance:${instance}`)
    await expectRowCount(page, 'Claims', 1)
    await page.getByRole('grid', { name: 'Claims' }).focus()
    for (const key of ['j', 'o']) await page.keyboard.press(key)
    await expect(factOf('State')).toContainText('released')
  }
  // The figures of the host count instances, and do not list them.
  const counts = (instances: number) => ({ vcpusUsed: instances, memoryMbUsed: 256 * instances, localGbUsed: 0, runningVms: instances })
  await report(service.client, { counting: counts(0) })

  await show(await reserveAndRelease(service.client, 'counting', false))
  await expect(factOf('Ended')).toBeVisible()
  await expect(factOf('Amounts stay held')).toHaveCount(0)

  await show(await reserveAndRelease(service.client, 'counting', true))
  await expect(factOf('Amounts stay held')).toHaveText(/^in (1 h|\d+ min)/)
  // The report counts the instance, so the amounts are no longer held.
  await report(service.client, { counting: counts(1) })
  await expect(factOf('Amounts stay held')).toHaveCount(0, { timeout: 30_000 })
  await expect(factOf('State')).toContainText('released')
})
