import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { settingsOf, unknownSettings } from './settings.ts'

const told = (environment: NodeJS.ProcessEnv) =>
  Object.fromEntries(settingsOf(environment, readConfig(environment)).map((setting) => [setting.name, setting]))

test('every variable that is read is told of, and no other', () => {
  const read = new Set<string>()
  const environment = new Proxy({} as NodeJS.ProcessEnv, {
    get(_target, name) {
      read.add(String(name))
      return undefined
    },
  })
  readConfig(environment)
  expect(Object.keys(told({})).sort()).toEqual([...read].sort())
})

test('what is set says so, and what is not has its default', () => {
  const settings = told({ GANTT_LOG_DAYS: '90', GANTT_PLUGINS: 'trusted:/p,other' })
  expect(settings.GANTT_LOG_DAYS).toMatchObject({ value: '90', unit: 'days', source: 'ENVIRONMENT' })
  expect(settings.GANTT_PLUGINS).toMatchObject({ value: 'trusted:/p,other', source: 'ENVIRONMENT' })
  expect(settings.GANTT_DOWN_AFTER).toMatchObject({ value: '180', unit: 'seconds', source: 'DEFAULT' })
  expect(settings.GANTT_EXTENDERS).toMatchObject({ value: undefined, source: 'DEFAULT' })
})

test('what may hold a secret is told to be set, and nothing of it', () => {
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

test('variables that look like settings and are none are named; those of the command line and of tests are not', () => {
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
  expect(unknownSettings(Object.fromEntries(Object.keys(told({})).map((name) => [name, 'x'])))).toEqual([])
})

test('all settings are named only where none is spelt nearly so', () => {
  const [sentence] = unknownSettings({ GANTT_COLOUR_OF_LOGS: 'red' })
  expect(sentence).toMatch(/^GANTT_COLOUR_OF_LOGS is set .* no such setting; there are HOST, PORT, .*GANTT_EXTENDERS\.$/)
})
