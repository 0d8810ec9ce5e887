import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { dataOf, startTestService } from '../../testing/test-service.ts'

const power = fileURLToPath(new URL('../../../../../examples/plugin-power', import.meta.url))

test.each([
  ['with the plug-in power', [{ from: power, mode: 'TRUSTED' as const }], [{ name: 'power', version: '1.0.0' }]],
  ['without plug-ins', [], []],
])('a replica %s says which plug-ins it has loaded', async (_name, plugins, expected) => {
  const api = await startTestService({ plugins })
  try {
    const { replicas } = await dataOf(api, '{ replicas { plugins { name version } } }')
    expect(replicas).toEqual([{ plugins: expected }])
  } finally {
    await api.close()
  }
})
