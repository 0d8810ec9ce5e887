import { randomUUID } from 'node:crypto'
import type { Client } from '@gantt/client'
import { expect, type Page, type SeededService } from '../fixtures.ts'

export const MATRIX = 'Hosts by filters'
export const matrixCount = (page: Page) => page.getByRole('region', { name: MATRIX }).locator('[data-rows]')
export const answerAbout = (page: Page, host: string) => page.locator(`[data-why-not="${host}"]`)
export const countHosts = (count: number): string => `${count} ${count === 1 ? 'host' : 'hosts'}`
export const addressOf = (id: string): string => `/decisions/${encodeURIComponent(id)}`

interface Explained {
  readonly headline: string
  readonly hostCount: number
  readonly steps: readonly {
    readonly name: string
    readonly entered: number
    readonly passed: number
    readonly rejected: number
    readonly soleRejections: number
    readonly skippedBecause: string | null
    readonly reasons: readonly { readonly code: string; readonly hosts: number }[]
  }[]
  readonly nearMisses: readonly { readonly hostName: string }[]
}

export async function explain(client: Client, id: string): Promise<Explained> {
  const { explainPlacement } = await client.request<{ explainPlacement: Explained }>(
    `query Explain($id: ID!) { explainPlacement(input: { subject: { decisionId: $id } }) {
      headline hostCount nearMisses(first: 10) { hostName }
      steps { name entered passed rejected soleRejections skippedBecause reasons { code hosts } } } }`,
    { id },
  )
  return explainPlacement
}

interface Check {
  readonly filter: string
  readonly status: string
  readonly text: string | null
  readonly facts: readonly { required: string | null; actual: string | null; shortfall: string | null; unit: string | null }[]
}

export async function whyNot(
  client: Client,
  id: string,
  host: string,
): Promise<{ headline: string; verdict: { checks: readonly Check[] } }> {
  const answer = await client.request<{ whyNot: { headline: string; verdict: { checks: readonly Check[] } } }>(
    `query WhyNot($id: ID!, $host: String!) { whyNot(input: { subject: { decisionId: $id }, host: { host: $host } }) {
      headline verdict { checks { filter status text facts { required actual shortfall unit } } } } }`,
    { id, host },
  )
  return answer.whyNot
}

/** Asserts that the amounts in the page's answer about a host equal those of the API. */
export async function expectAnswerOfApi(page: Page, client: Client, id: string, host: string): Promise<void> {
  const { headline, verdict } = await whyNot(client, id, host)
  const answer = answerAbout(page, host)
  await expect(answer.getByRole('heading', { level: 3 })).toHaveText(headline)
  const ran = verdict.checks.filter(({ status }) => status !== 'NOT_ASKED')
  expect(ran.some(({ status }) => status === 'FAIL')).toBe(true)
  await expect(answer.locator('[data-check]')).toHaveCount(ran.length)
  for (const { filter, status, text, facts } of ran) {
    const row = answer.locator(`[data-check="${filter}"]`)
    await expect(row).toHaveAttribute('data-status', status)
    if (text !== null) await expect(row).toContainText(text)
    const [fact] = facts
    for (const name of ['required', 'actual', 'shortfall'] as const) {
      const value = fact?.[name] ?? null
      await expect(row.locator(`[data-fact=${name}]`)).toHaveText(value === null ? '' : `${value}${fact?.unit ? ` ${fact.unit}` : ''}`)
    }
  }
}

export const waitingButton = (page: Page, count: number) => page.getByRole('button', { name: `${count} new`, exact: true })

/** Requests a placement with the given request id. Returns the id of the decision once the decision lists this request id. */
export async function placeAs(service: SeededService, requestId: string, instance: string, flavor: string): Promise<string> {
  const response = await fetch(new URL('/graphql', service.origin), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${service.key}`, 'x-request-id': requestId },
    body: JSON.stringify({
      query: `mutation Place($input: SelectDestinationsInput!) { selectDestinations(input: $input) { ... on SelectDestinationsPayload { decision { id } } } }`,
      variables: {
        input: {
          idempotencyKey: randomUUID(),
          spec: { gantt: { flavor: { name: flavor, vcpus: 1, memoryMb: 64 }, instanceUuids: [instance] } },
        },
      },
    }),
  })
  const { data } = (await response.json()) as { data: { selectDestinations: { decision: { id: string } } } }
  const { id } = data.selectDestinations.decision
  const known = 'query Known($id: ID!) { decision(id: $id) { requestIds } }'
  await expect
    .poll(async () => (await service.client.request<{ decision: { requestIds: string[] } }>(known, { id })).decision.requestIds)
    .toEqual([requestId])
  return id
}
