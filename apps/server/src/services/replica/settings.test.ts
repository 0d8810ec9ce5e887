import { expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { settingsOf, unknownSettings } from './settings.ts'

const settingsFrom = (environment: NodeJS.ProcessEnv) =>
  Object.fromEntries(settingsOf(environment, readConfig(environment)).map((setting) => [setting.name, setting]))

test('the list of settings contains exactly the variables that readConfig reads', () => {
  const read = new Set<string>()
  const environment = new Proxy({} as NodeJS.ProcessEnv, {
    get(_target, name) {
      read.add(String(name))
      return undefined
    },
  })
  readConfig(environment)
  expect(Object.keys(settingsFrom({})).sort()).toEqual([...read].sort())
})

test('a variable that is set has the source ENVIRONMENT, and every other variable has the source DEFAULT and its default value', () => {
  const settings = settingsFrom({ GANTT_LOG_DAYS: '90', GANTT_PLUGINS: 'trusted:/p,other' })
  expect(settings.GANTT_LOG_DAYS).toMatchObject({ value: '90', unit: 'days', source: 'ENVIRONMENT' })
  expect(settings.GANTT_PLUGINS).toMatchObject({ value: 'trusted:/p,other', source: 'ENVIRONMENT' })
  expect(settings.GANTT_DOWN_AFTER).toMatchObject({ value: '180', unit: 'seconds', source: 'DEFAULT' })
  expect(settings.GANTT_EXTENDERS).toMatchObject({ value: undefined, source: 'DEFAULT' })
})

test('for a variable that can contain a secret, only whether it is set is shown', () => {
  const environment = {
    DATABASE_URL: 'postgresql://me:the-password@db/gantt',
    GANTT_ADMIN_KEY: 'a-key-that-nobody-may-see',
    GANTT_SYNC: 'nats://me:the-password@n1:4222/fleet',
  }
  const settings = settingsOf(environment, readConfig(environment))
  expect(JSON.stringify(settings)).not.toMatch(/password|nobody-may-see/)
  expect(settings.filter(({ isSecret }) => isSecret).map(({ name, source }) => [name, source])).toEqual([
    ['DATABASE_URL', 'ENVIRONMENT'],
    ['GANTT_ADMIN_KEY', 'ENVIRONMENT'],
    ['GANTT_SYNC', 'ENVIRONMENT'],
  ])
})

test('unknown variables that look like settings are reported, except those of the command line and of tests', () => {
  const environment = {
    GANTT_SUSPCT_AFTER: '60',
    gantt_liveness: 'reports',
    GANTT_LIVENESS: 'reports',
    GANTT_URL: 'x',
    GANTT_TEST_ALL: '1',
    PATH: '/',
  }
  expect(unknownSettings(environment)).toEqual([
    'GANTT_SUSPCT_AFTER is set and has no effect: this release has no such setting; did you mean GANTT_SUSPECT_AFTER?',
    'gantt_liveness is set and has no effect: this release has no such setting; did you mean GANTT_LIVENESS?',
  ])
  expect(unknownSettings(Object.fromEntries(Object.keys(settingsFrom({})).map((name) => [name, 'x'])))).toEqual([])
})

test('the warning about an unknown variable lists all settings only if no setting has a similar name', () => {
  const [sentence] = unknownSettings({ GANTT_COLOUR_OF_LOGS: 'red' })
  expect(sentence).toMatch(/^GANTT_COLOUR_OF_LOGS is set .* no such setting; there are HOST, PORT, .*GANTT_EXTENDERS\.$/)
})
