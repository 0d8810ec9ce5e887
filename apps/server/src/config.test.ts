import { expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

test('what is not set has its default', () => {
  expect(readConfig({})).toEqual({ host: '127.0.0.1', port: 4400, dataDir: undefined, databaseUrl: undefined, adminKey: undefined })
})

test('what is set is taken', () => {
  const environment = {
    PORT: '0',
    HOST: '::1',
    GANTT_DATA_DIR: '/d',
    DATABASE_URL: 'postgres://h/d',
    GANTT_ADMIN_KEY: 'sixteen-or-more-characters',
  }
  expect(readConfig(environment)).toMatchObject({ host: '::1', port: 0, dataDir: '/d', databaseUrl: 'postgres://h/d' })
})

test('all that is wrong is told at once, by name, without secrets', () => {
  const wrong = { PORT: '70000', HOST: 'a b', DATABASE_URL: 'mysql://user:secret@h', GANTT_ADMIN_KEY: 'short' }
  const error = (() => {
    try {
      return readConfig(wrong)
    } catch (thrown) {
      return thrown
    }
  })()
  expect(error).toBeInstanceOf(ConfigError)
  expect((error as ConfigError).problems.map((problem) => problem.split(' ')[0])).toEqual([
    'PORT',
    'HOST',
    'DATABASE_URL',
    'GANTT_ADMIN_KEY',
  ])
  expect(String(error)).toContain('PORT is "70000"; it must be a port')
  expect(String(error)).not.toMatch(/secret|short/)
})
